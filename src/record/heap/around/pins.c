/* SPDX-License-Identifier: MIT */
#include "record/heap/around/pins.h"

#include "os/mmap.h"
#include "os/pages.h"
#include "record/heap/book/account.h"
#include "record/heap/pack.h"
#include "record/heap/book/sample.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_pymem.h"

#define PAGE_BYTES ((uintptr_t)4096)
#define NEARLY_EMPTY (PAGE_BYTES / 4)
#define BLOCKS_MAX 257u /* one per 16 bytes, and one that starts before the page */
#define LARGE_BYTES ((uint64_t)128 << 10)
#define HEAD_BYTES 8u   /* what the C library's malloc needs besides the block */
#define LEAST_BYTES 32u
#define PYMALLOC_MAX 512u /* it passes larger blocks on to malloc */

static struct {
	struct seep_pins *pins;
	struct seep_pages pages;
	uintptr_t window;        /* number of its first page; 0: no window was looked at yet */
	uint64_t present;        /* a bit for each page of the window */
	uintptr_t page;          /* number of the page that is being filled */
	uint64_t used_bytes;     /* bytes of live blocks on that page */
	uint32_t n;              /* live blocks on that page */
	struct {
		uint32_t site;
		bool counted;    /* already, on the page before */
	} blocks[BLOCKS_MAX];
} scan;

static bool is_present(uintptr_t page)
{
	uintptr_t window = page - page % SEEP_PAGES_WINDOW;

	if (window != scan.window) {
		scan.window = window;
		scan.present = seep_pages_look(&scan.pages, window * PAGE_BYTES,
					       SEEP_PAGES_WINDOW);
	}
	return scan.present >> (page - window) & 1;
}

static void settle_page(void)
{
	uint64_t share;
	uint32_t i;

	if (!scan.n || scan.used_bytes > NEARLY_EMPTY || !is_present(scan.page))
		return;
	share = (PAGE_BYTES - scan.used_bytes) / scan.n;
	for (i = 0; i < scan.n; i++) {
		struct seep_pin *pin = &scan.pins->sites[scan.blocks[i].site];

		pin->bytes += share;
		pin->blocks += !scan.blocks[i].counted;
		scan.blocks[i].counted = true;
	}
}

static void begin_page(uintptr_t page)
{
	scan.page = page;
	scan.used_bytes = 0;
	scan.n = 0;
}

static void add_block(uint32_t site, bool counted, uint64_t bytes)
{
	scan.used_bytes += bytes;
	if (scan.n == BLOCKS_MAX)
		return;
	scan.blocks[scan.n].site = site;
	scan.blocks[scan.n++].counted = counted;
}

/*
 * What the C library's malloc takes for a block, or pymalloc, from which a program that has it gets
 * most small ones.  Other allocators' sizes are not known.
 */
static uint64_t find_size(uint64_t bytes)
{
	uint64_t whole = (bytes + HEAD_BYTES + 15) & ~(uint64_t)15;

	if (seep_real_pymem_on && bytes <= PYMALLOC_MAX)
		return (bytes + 15) & ~(uint64_t)15;
	if (!seep_real.from_libc)
		return bytes;
	return whole < LEAST_BYTES ? LEAST_BYTES : whole;
}

/* The block that was added last continues on another page and ends there. */
static void carry_over(uintptr_t end)
{
	uint32_t site = scan.blocks[scan.n - 1].site;
	bool counted;

	settle_page();
	counted = scan.blocks[scan.n - 1].counted;
	begin_page((end - 1) / PAGE_BYTES);
	add_block(site, counted, end - scan.page * PAGE_BYTES);
}

static void add_live(uintptr_t address, uint64_t bytes)
{
	uint64_t present = bytes;

	if (bytes >= LARGE_BYTES)
		present = seep_pages_count_bytes(&scan.pages, address, address + bytes);
	scan.pins->live_bytes += present < bytes ? present : bytes;
}

static void visit(const struct seep_live_block *block, uintptr_t address, void *context)
{
	uint64_t bytes = find_size(block->bytes);
	uintptr_t page = address / PAGE_BYTES, page_end = (page + 1) * PAGE_BYTES;

	(void)context;
	add_live(address, bytes);
	if (block->site >= scan.pins->n_sites) /* newer than this scan */
		return;
	if (page != scan.page) {
		settle_page();
		begin_page(page);
	}
	add_block(block->site, false, bytes < page_end - address ? bytes : page_end - address);
	if (address + bytes > page_end)
		carry_over(address + bytes);
}

bool seep_pins_find(struct seep_pins *pins)
{
	*pins = (struct seep_pins){.n_sites = seep_pairs_count(&seep_account_sites.pairs)};
	if (seep_sample_mode != SEEP_SAMPLE_OFF || !seep_pages_open(&scan.pages))
		return false;
	pins->map_bytes = pins->n_sites * sizeof(*pins->sites);
	pins->sites = seep_mmap_scratch(pins->map_bytes);
	if (pins->sites) {
		scan.pins = pins;
		scan.window = 0;
		begin_page(0);
		seep_live_scan(visit, NULL);
		settle_page();
	}
	seep_pages_close(&scan.pages);
	return pins->sites;
}

void seep_pins_write(const struct seep_pins *pins)
{
	struct seep_pack *pack = seep_pack_begin(SEEP_REC_PINS, 0);
	uint32_t site;

	for (site = 1; site < pins->n_sites; site++) {
		if (!pins->sites[site].bytes)
			continue;
		seep_pack_put(pack, site);
		seep_pack_put(pack, pins->sites[site].bytes);
		seep_pack_put(pack, pins->sites[site].blocks);
		seep_pack_next(pack);
	}
	seep_pack_end(pack);
}

void seep_pins_release(struct seep_pins *pins)
{
	if (pins->sites)
		seep_mmap_drop(pins->sites, pins->map_bytes);
	pins->sites = NULL;
}
