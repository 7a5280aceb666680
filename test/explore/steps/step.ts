import type { Service } from '../service.js';
import type { World } from '../world.js';

/** A step that is possible now. `people`: nobody may wait for it. */
export interface Step {
  readonly say: string;
  readonly by: 'service' | 'network' | 'worker' | 'clock' | 'people' | 'fault';
  readonly take: () => World;
}

export type Steps = (world: World, service: Service) => readonly Step[];
