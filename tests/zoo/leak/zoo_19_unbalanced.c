/* SPDX-License-Identifier: MIT */
/* Packets are made in one phase and freed in another, which forgets the fragmented ones. */
#include "work.h"

#define PACKETS 100
#define PACKET_BYTES 128
#define FRAGMENTED .1

struct packet {
	int fragmented;
	char data[PACKET_BYTES - sizeof(int)];
};

static struct packet *packets[PACKETS];

static ZOO_SITE struct packet *receive_packet(void)
{
	struct packet *packet = zoo_touch(malloc(sizeof(*packet)), sizeof(*packet));

	packet->fragmented = zoo_uniform() < FRAGMENTED;
	return packet;
}

static void release_packets(void)
{
	long k;

	for (k = 0; k < PACKETS; k++)
		if (!packets[k]->fragmented)
			free(packets[k]);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" },
				   .bytes_per_event = PACKETS * FRAGMENTED * PACKET_BYTES,
				   .phase = "receive", .site = "receive_packet" };
	long i, k, n = zoo_start(argc, argv, 200);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("receive");
		for (k = 0; k < PACKETS; k++)
			packets[k] = receive_packet();
		seep_stamp("route");
		work_read(i);
		work_handle(i);
		seep_stamp("release");
		release_packets();
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
