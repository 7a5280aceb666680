/** A wait that can be cut short, and that keeps no process alive. */
export class Pause {
  closed = false;
  private finish: (() => void) | null = null;

  async wait(ms: number): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.finish = null;
  }

  /** Who waits goes on now. */
  end(): void {
    this.finish?.();
  }

  /** Nobody waits any more. */
  close(): void {
    this.closed = true;
    this.end();
  }
}
