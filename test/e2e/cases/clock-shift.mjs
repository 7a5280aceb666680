// For `--import`: this process's clock is wrong by CLOCK_SHIFT_MS, whoever reads it. Timers and performance.now() go by
// the machine's, as they do where a clock is only set wrongly.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
