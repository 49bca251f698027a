/* 3.14, 4f024f3797c4 "block: Abstract out bvec iterator" */
#include <linux/bio.h>
typeof(((struct bio *)NULL)->bi_iter.bi_size) ask;
