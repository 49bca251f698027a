/* 5.16, b9b0ff61eef5 "mm/writeback: Convert tracing writeback_page_template to folios" */
#include <linux/pagemap.h>
#include <trace/events/writeback.h>
void probe(void *data, struct folio *folio, struct address_space *mapping);
void ask(void)
{
	check_trace_callback_type_writeback_dirty_folio(probe);
}
