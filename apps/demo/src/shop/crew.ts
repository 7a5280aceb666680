import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkQueue } from '../work-queue.js';
import type { StaffMember } from './wish.js';
import type { FromShopWorker, ToShopWorker } from './worker/messages.js';

export interface CrewOptions {
  readonly baseUrl: string;
  readonly queue: string;
  readonly work: WorkQueue;
  /** Jobs that one process runs at once. */
  readonly atOnce: number;
  readonly onMessage: (member: CrewMember, message: FromShopWorker) => void;
  /** Somebody came, is ready, or has gone. */
  readonly onChange: () => void;
}

export interface CrewMember {
  readonly name: string;
  readonly revision: string;
}

interface Member extends CrewMember {
  readonly child: ChildProcess;
  ready: boolean;
  terminating: boolean;
}

const entry = join(import.meta.dirname, 'worker/main.js');
/** As long as an orchestrator takes, at best, to notice and to start a process. */
const RESTART_MS = 500;
const LONGEST_GOODBYE_MS = 3_000;

/** Worker processes of one queue, each of a release; who is to be there is told by {@link Crew.match}. */
export class Crew {
  private readonly members = new Set<Member>();
  /** Who asked for a ticket first gets the next one. */
  private idle: Member[] = [];
  private wanted: readonly string[] = [];
  private hired = 0;
  private closing = false;

  constructor(private readonly options: CrewOptions) {}

  /** Those who are there, as an orchestrator would list them. */
  get pods(): readonly StaffMember[] {
    return [...this.members].map(({ name, revision, ready, terminating }) => ({ name, revision, ready, terminating }));
  }

  /** One revision for each process that is wished for: whoever is too many is let go, whoever is missing is hired. */
  match(wanted: readonly string[]): void {
    if (this.closing) return;
    this.wanted = wanted;
    const missing = [...wanted];
    for (const member of this.members) {
      if (member.terminating) continue;
      const at = missing.indexOf(member.revision);
      if (at >= 0) missing.splice(at, 1);
      else void this.dismiss(member, false);
    }
    for (const revision of missing) this.hire(revision);
  }

  /** There may be tickets: hands them to whoever is idle, those first who are so for longest. */
  wake(): void {
    while (this.idle.length > 0 && !this.closing) {
      const ticket = this.options.work.take();
      if (ticket === undefined) return;
      const member = this.idle.shift();
      if (member !== undefined) send(member.child, { kind: 'run', ticket });
    }
  }

  /** Lets everybody finish, or with `now` let go of, what they run; in the last resort by force: nothing stays behind. */
  async close(now: boolean): Promise<void> {
    this.closing = true;
    await Promise.all([...this.members].map((member) => this.dismiss(member, now)));
  }

  private hire(revision: string): void {
    const { baseUrl, queue, atOnce, onChange } = this.options;
    this.hired += 1;
    const name = `${queue}-${String(this.hired)}`;
    const child = fork(entry, [baseUrl, queue, name, revision, String(atOnce)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member: Member = { name, revision, child, ready: false, terminating: false };
    this.members.add(member);
    child.on('message', (message: FromShopWorker) => this.heard(member, message));
    child.on('error', () => undefined);
    child.once('exit', () => void this.gone(member));
    onChange();
  }

  private heard(member: Member, message: FromShopWorker): void {
    const { work, onMessage, onChange } = this.options;
    if (message.kind === 'back') work.giveBack(message.ticket);
    if (message.kind === 'ready' && !member.terminating) {
      this.idle.push(member);
      if (!member.ready) {
        member.ready = true;
        onChange();
      }
    }
    this.wake();
    onMessage(member, message);
  }

  private async gone(member: Member): Promise<void> {
    this.members.delete(member);
    this.idle = this.idle.filter((other) => other !== member);
    this.options.onChange();
    if (member.terminating) return;
    await delay(RESTART_MS);
    this.match(this.wanted);
  }

  private async dismiss(member: Member, now: boolean): Promise<void> {
    const { child } = member;
    if (child.exitCode !== null || child.signalCode !== null) return;
    member.terminating = true;
    this.idle = this.idle.filter((other) => other !== member);
    this.options.onChange();
    send(child, { kind: 'finish', now });
    const byForce = setTimeout(() => child.kill('SIGKILL'), LONGEST_GOODBYE_MS);
    await once(child, 'exit');
    clearTimeout(byForce);
  }
}

function send(child: ChildProcess, message: ToShopWorker): void {
  // Between its death and the news of it a process cannot be written to; its death follows.
  child.send(message, () => undefined);
}
