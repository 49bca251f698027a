/* 5.11, e8a676d61c07 "block: simplify and extend the block_bio_merge tracepoint class" */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct bio *bio);
void ask(void)
{
	check_trace_callback_type_block_bio_queue(probe);
}
