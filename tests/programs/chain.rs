// chain MS: computes below ten calls, a closure and a boxed trait, for this time.
use std::time::{Duration, Instant};

/// Returns the number, of which the compiler knows nothing.
#[inline(always)]
fn opaque(n: u64) -> u64 {
    unsafe { std::ptr::read_volatile(&n) }
}

trait Work {
    fn work(&self, n: u64) -> u64;
}

struct Sum(u64);

impl Work for Sum {
    #[inline(never)]
    fn work(&self, n: u64) -> u64 {
        (0..1000000).fold(n, |sum, i| opaque(sum.wrapping_mul(self.0) + (i & 1)))
    }
}

#[inline(never)]
fn down(depth: u32, n: u64, leaf: &dyn Fn(u64) -> u64) -> u64 {
    if depth == 0 {
        return leaf(n) + 1;
    }
    opaque(down(depth - 1, n + 1, leaf)) + 1
}

#[inline(never)]
fn works(until: Instant) -> u64 {
    let boxed: Box<dyn Work> = Box::new(Sum(3));
    let mut sum = 0u64;
    while Instant::now() < until {
        sum = sum.wrapping_add(down(9, 1, &|n| boxed.work(n) & 0xffff));
    }
    sum
}

fn main() {
    let ms: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", works(Instant::now() + Duration::from_millis(ms)));
}
