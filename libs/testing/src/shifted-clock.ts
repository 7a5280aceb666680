/** `--import`ed into a replica: what its system clock would say if it were off by JOBWARDEN_TEST_CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env['JOBWARDEN_TEST_CLOCK_SHIFT_MS'] ?? 0);
const real = Date;
const now = (): number => real.now() + shiftMs;

globalThis.Date = new Proxy(real, {
  apply: () => new real(now()).toString(),
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});

export {};
