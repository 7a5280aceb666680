import { clock, network } from './network.js';
import { people } from './people.js';
import { publisher } from './publisher.js';
import { replicas } from './replicas.js';
import type { Steps } from './step.js';
import { workers } from './workers.js';

const ALL: readonly Steps[] = [network, replicas, publisher, workers, people, clock];

/** Every step that is possible now, in an order that depends on the state alone: a trace names steps by their place. */
export const stepsOf: Steps = (world, service) => ALL.flatMap((steps) => steps(world, service));
