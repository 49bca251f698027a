// Threads, channels, caught panics, closures, boxed traits, formatting.
use std::collections::BTreeMap;
use std::panic;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self) -> f64 {
        3.0 * self.0 * self.0
    }
}

struct Guard<'a>(&'a Mutex<u64>);

impl<'a> Drop for Guard<'a> {
    #[inline(never)]
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

#[inline(never)]
fn risky(n: u64, guards: &Mutex<u64>) -> u64 {
    let _guard = Guard(guards);
    if n % 3 == 0 {
        panic!("no {}", n);
    }
    fibonacci(n % 10)
}

#[inline(never)]
fn attempt(n: u64, guards: &Mutex<u64>) -> u64 {
    panic::catch_unwind(panic::AssertUnwindSafe(|| risky(n, guards))).unwrap_or(1000)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let guards = Arc::new(Mutex::new(0));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..8)
        .map(|t| {
            let (sender, guards) = (sender.clone(), guards.clone());
            thread::spawn(move || {
                for i in 0..20 {
                    sender.send((t, attempt(t * 20 + i, &guards))).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    let mut sums = BTreeMap::new();
    for (t, value) in receiver {
        *sums.entry(t).or_insert(0) += value;
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle(1.0))];
    let area: f64 = shapes.iter().map(|s| s.area()).sum();
    println!("{:?} {} {}", sums, area, guards.lock().unwrap());
}
