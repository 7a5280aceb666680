/** `1 queue`, `3 queues`. `many`: where an s behind it does not do. */
export function howMany(n: number, one: string, many = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

/** `1 of 1 attempt`, `1 of 30 attempts`: the word goes by how many there are in all. */
export function howManyOf(n: number, all: number, one: string, many?: string): string {
  return `${String(n)} of ${howMany(all, one, many)}`;
}

/** The verb behind {@link howMany}: `1 queue lets`, `3 queues let`. */
export function verb(n: number, one: string, many: string): string {
  return n === 1 ? one : many;
}
