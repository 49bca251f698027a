/* 5.4, ae6683d815895 "hrtimer: Introduce HARD expiry mode" */
#include <linux/hrtimer.h>
enum hrtimer_mode ask = HRTIMER_MODE_REL_PINNED_HARD;
