/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"
#include "cli/completion/complete.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	void (*write)(FILE *out, const struct seep_command *const *commands);
} shells[] = {
	{ "bash", seep_complete_bash },
	{ "zsh", seep_complete_zsh },
	{ "fish", seep_complete_fish },
};

#define SHELLS (sizeof(shells) / sizeof(shells[0]))

static const char *shell_value(size_t i)
{
	return i < SHELLS ? shells[i].name : NULL;
}

static const struct seep_option option_table[] = {
	{ .name = NULL },
};

static int run_completion(int argc, char **argv, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_completion, argc, argv, NULL, &found,
					     err);

	if (status)
		return status;
	for (size_t i = 0; found.n == 1 && i < SHELLS; i++)
		if (!strcmp(found.words[0], shells[i].name)) {
			shells[i].write(stdout, seep_commands);
			return 0;
		}
	seep_err_set(err, EINVAL, "name one shell: bash, zsh or fish");
	return SEEP_STATUS_FAILED;
}

const struct seep_command seep_command_completion = {
	.name = "completion",
	.summary = "print a completion script for bash, zsh or fish",
	.operands_text = "bash|zsh|fish",
	.operands = SEEP_OPERANDS_FILES,
	.operand_value = shell_value,
	.examples =
		"  seep completion bash > ~/.local/share/bash-completion/completions/seep\n"
		"  seep completion zsh > ~/.zsh/completions/_seep    a directory in $fpath\n"
		"  seep completion fish > ~/.config/fish/completions/seep.fish\n\n"
		"An installed seep has these scripts already.\n",
	.notes = "The exit status is 0, or 125 for any other shell.\n",
	.options = option_table,
	.run = run_completion,
};
