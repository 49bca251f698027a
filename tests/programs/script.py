# Classes, generators, exceptions, dictionaries, sorting, formatting.
class Counter:
    def __init__(self, start):
        self.n = start

    def add(self, n):
        self.n += n
        return self


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def squares(n):
    for i in range(n):
        yield i * i


text = 'the quick brown fox jumps over the lazy dog and the fox is quick'
seen = {}
for word in text.split():
    seen[word] = seen.get(word, 0) + 1
print(sorted(seen.items(), key=lambda item: (-item[1], item[0])))
print(fibonacci(9), sum(squares(20)), Counter(3).add(4).n)
try:
    [][1]
except IndexError as error:
    print('caught', error)
print('%05.2f' % 3.14159, f'{48879:x}', text[::-7].title(), b'abc'.hex(), 2 ** 100)
