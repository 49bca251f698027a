/* 5.16, 2f52578f9c64 "mm/util: Add folio_mapping() and folio_file_mapping()" */
#include <linux/pagemap.h>
struct address_space *ask(struct page *page)
{
	return folio_mapping(page_folio(page));
}
