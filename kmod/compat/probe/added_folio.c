/* 5.17, a0580c6f9bab "filemap: Convert tracing of page cache operations to folio" */
#include <linux/pagemap.h>
#include <trace/events/filemap.h>
void probe(void *data, struct folio *folio);
void ask(void)
{
	check_trace_callback_type_mm_filemap_add_to_page_cache(probe);
}
