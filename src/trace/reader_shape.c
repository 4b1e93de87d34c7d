/* SPDX-License-Identifier: MIT */
#include "trace/reader_shape.h"

/* The least size of each kind; 0 for an unknown kind. */
static const uint16_t fixed_bytes[] = {
	[SEEP_REC_RUN] = sizeof(struct seep_rec_run),
	[SEEP_REC_NAME] = sizeof(struct seep_rec_name),
	[SEEP_REC_MODULE] = sizeof(struct seep_rec_module),
	[SEEP_REC_NODES] = sizeof(struct seep_rec_nodes),
	[SEEP_REC_SITES] = sizeof(struct seep_rec_sites),
	[SEEP_REC_STAMP] = sizeof(struct seep_rec_stamp),
	[SEEP_REC_COUNT] = sizeof(struct seep_rec_count),
	[SEEP_REC_GAUGE] = sizeof(struct seep_rec_gauge),
	[SEEP_REC_SNAPSHOT] = sizeof(struct seep_rec_snapshot),
	[SEEP_REC_SITE_STATES] = sizeof(struct seep_rec_site_states),
	[SEEP_REC_FREE_SITES] = sizeof(struct seep_rec_free_sites),
	[SEEP_REC_SNAPSHOT_END] = sizeof(struct seep_rec_snapshot_end),
	[SEEP_REC_LIMIT] = sizeof(struct seep_rec_limit),
	[SEEP_REC_NOTE] = sizeof(struct seep_rec_note),
	[SEEP_REC_EXIT] = sizeof(struct seep_rec_exit),
	[SEEP_REC_RESTART] = sizeof(struct seep_rec_restart),
	[SEEP_REC_ANCHOR] = offsetof(struct seep_rec_anchor, descriptors),
	[SEEP_REC_THIN] = sizeof(struct seep_rec_thin),
	[SEEP_REC_SAMPLING] = sizeof(struct seep_rec_sampling),
	[SEEP_REC_SITE_SAMPLES] = sizeof(struct seep_rec_site_samples),
	[SEEP_REC_PROBE] = sizeof(struct seep_rec_probe),
	[SEEP_REC_PINS] = sizeof(struct seep_rec_pins),
	[SEEP_REC_SITE_MOVES] = sizeof(struct seep_rec_site_moves),
	[SEEP_REC_FRAME] = sizeof(struct seep_rec_frame),
	[SEEP_REC_LEVELS] = sizeof(struct seep_rec_levels),
	[SEEP_REC_SAMPLES] = sizeof(struct seep_rec_samples),
	[SEEP_REC_FUNCTION] = sizeof(struct seep_rec_function),
	[SEEP_REC_LINES] = sizeof(struct seep_rec_lines),
	[SEEP_REC_TYPE] = sizeof(struct seep_rec_type),
	[SEEP_REC_SITE_TYPES] = sizeof(struct seep_rec_site_types),
	[SEEP_REC_TEXTS] = sizeof(struct seep_rec_texts),
	[SEEP_REC_ADDRESSES] = sizeof(struct seep_rec_addresses),
};

static uint64_t module_tail(const struct seep_rec_module *module)
{
	return (uint64_t)module->build_id_bytes + module->path_bytes;
}

static uint64_t frame_tail(const struct seep_rec_frame *frame)
{
	return (uint64_t)frame->function_bytes + frame->file_bytes + frame->module_bytes;
}

static uint64_t function_tail(const struct seep_rec_function *function)
{
	return (uint64_t)function->name_bytes + function->file_bytes;
}

/* How many bytes must follow the fixed part. */
static uint64_t tail_bytes(uint16_t kind, const void *payload)
{
	switch (kind) {
	case SEEP_REC_RUN:
		return ((const struct seep_rec_run *)payload)->bytes;
	case SEEP_REC_NAME:
		return ((const struct seep_rec_name *)payload)->bytes;
	case SEEP_REC_MODULE:
		return module_tail(payload);
	case SEEP_REC_NODES:
		return (uint64_t)((const struct seep_rec_nodes *)payload)->count *
		       sizeof(struct seep_rec_node);
	case SEEP_REC_SITES:
		return (uint64_t)((const struct seep_rec_sites *)payload)->count *
		       sizeof(struct seep_rec_site);
	case SEEP_REC_SITE_STATES:
		return ((const struct seep_rec_site_states *)payload)->bytes;
	case SEEP_REC_FREE_SITES:
		return ((const struct seep_rec_free_sites *)payload)->bytes;
	case SEEP_REC_SITE_SAMPLES:
		return ((const struct seep_rec_site_samples *)payload)->bytes;
	case SEEP_REC_PINS:
		return ((const struct seep_rec_pins *)payload)->bytes;
	case SEEP_REC_SITE_MOVES:
		return ((const struct seep_rec_site_moves *)payload)->bytes;
	case SEEP_REC_FRAME:
		return frame_tail(payload);
	case SEEP_REC_LEVELS:
		return ((const struct seep_rec_levels *)payload)->bytes;
	case SEEP_REC_SAMPLES:
		return (uint64_t)((const struct seep_rec_samples *)payload)->count *
		       sizeof(struct seep_rec_sample);
	case SEEP_REC_FUNCTION:
		return function_tail(payload);
	case SEEP_REC_LINES:
		return (uint64_t)((const struct seep_rec_lines *)payload)->count *
		       sizeof(struct seep_rec_line);
	case SEEP_REC_TYPE:
		return ((const struct seep_rec_type *)payload)->bytes;
	case SEEP_REC_SITE_TYPES:
		return ((const struct seep_rec_site_types *)payload)->bytes;
	case SEEP_REC_TEXTS:
		return ((const struct seep_rec_texts *)payload)->bytes;
	case SEEP_REC_ADDRESSES:
		return ((const struct seep_rec_addresses *)payload)->bytes;
	case SEEP_REC_LIMIT:
		return ((const struct seep_rec_limit *)payload)->source_bytes;
	case SEEP_REC_NOTE:
		return ((const struct seep_rec_note *)payload)->bytes;
	default:
		return 0;
	}
}

bool seep_reader_shape_known(uint16_t kind)
{
	return kind < sizeof(fixed_bytes) / sizeof(fixed_bytes[0]) && fixed_bytes[kind];
}

bool seep_reader_shape_fits(const struct seep_reader_record *record)
{
	size_t fixed = fixed_bytes[record->kind];

	return record->bytes >= fixed &&
	       tail_bytes(record->kind, record->payload) <= record->bytes - fixed;
}
