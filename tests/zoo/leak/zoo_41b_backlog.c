/* SPDX-License-Identifier: MIT */
/*
 * Twelve messages come per event, in the mean, and ten are handled: the queue gets longer.
 * What is left at the end is handled then.
 */
#include "work.h"

#define MESSAGE_BYTES 160
#define COME 12.0
#define HANDLED 10

struct message {
	struct message *next;
	char text[MESSAGE_BYTES - sizeof(void *)];
};

static struct message *first, **end = &first;

static ZOO_SITE struct message *receive_message(void)
{
	return zoo_touch(malloc(sizeof(struct message)), sizeof(struct message));
}

static void enqueue(struct message *message)
{
	message->next = NULL;
	*end = message;
	end = &message->next;
}

static void handle(long n)
{
	while (n-- && first) {
		struct message *message = first;

		first = message->next;
		free(message);
	}
	if (!first)
		end = &first;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" },
				   .bytes_per_event = (COME - HANDLED) * MESSAGE_BYTES,
				   .phase = "receive", .site = "receive_message" };
	long i, k, come, n = zoo_start(argc, argv, 400);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("receive");
		come = work_poisson(COME);
		for (k = 0; k < come; k++)
			enqueue(receive_message());
		work_read(i);
		seep_stamp("handle");
		handle(HANDLED);
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	handle(-1);
	zoo_tell(&truth);
	return 0;
}
