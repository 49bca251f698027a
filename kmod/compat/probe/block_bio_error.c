/* before 5.10, also in 4.18 of el8: the last argument of block_bio_complete is an errno */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct request_queue *q, struct bio *bio, int error);
void ask(void)
{
	check_trace_callback_type_block_bio_complete(probe);
}
