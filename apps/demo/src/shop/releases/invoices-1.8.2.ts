import { setTimeout as delay } from 'node:timers/promises';
import { TerminalError, type Job } from '@jobwarden/worker';

export interface Invoice {
  readonly customer: string;
  readonly amount: string;
}

class AmountError extends TerminalError {
  override readonly name = 'AmountError';
  readonly code = 'E_AMOUNT';
}

/** Sends an invoice. It reads amounts as its own country writes them. */
export async function handle({ payload: { customer, amount }, signal }: Job<Invoice>): Promise<string> {
  await delay(150 + Math.random() * 150, undefined, { signal });
  const value = Number(amount);
  if (!Number.isFinite(value)) throw new AmountError(`the amount "${amount}" is not a number`);
  return `${value.toFixed(2)} of ${customer}`;
}
