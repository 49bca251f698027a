/* 6.8: /proc/PID/maps shows the inode of an overlay, not that with the pages. */
#include <linux/fs.h>
unsigned long ask(struct file *file)
{
	return file_user_inode(file)->i_ino;
}
