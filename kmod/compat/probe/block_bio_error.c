/* before 5.10, 4.18 of el8 among them: block_bio_complete ends with an errno */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct request_queue *q, struct bio *bio, int error);
void ask(void);
void ask(void)
{
	check_trace_callback_type_block_bio_complete(probe);
}
