/* 5.11, a54895fa057c "block: remove the request_queue to argument request based tracepoints"; 5.10.137 has it, too */
#include <linux/blkdev.h>
#include <trace/events/block.h>
void probe(void *data, struct request *rq);
void ask(void)
{
	check_trace_callback_type_block_rq_issue(probe);
}
