import type { ThresholdSource } from '#libs/domain';
import type { Placed, PlacedSettings } from './fields.js';
import type { Layer } from './policy-layers.js';
import { DEFAULT_SETTINGS, SETTING_KEYS } from './policy-fields.js';
import type { PolicySettings, SettingKey } from './policy-settings.js';
import { toQueuePolicy } from './to-queue-policy.js';
import type { Origin, ResolvedPolicy } from './policy-types.js';

/** Layers on top of each other: for each setting the value of the strongest layer that names it. */
export interface Stack {
  readonly settings: PolicySettings;
  /** Of the settings that are not built in. */
  readonly written: ReadonlyMap<SettingKey, Written>;
}

export interface Written {
  readonly layer: Layer;
  /** 0 is the weakest. */
  readonly strength: number;
  readonly placed: Placed<unknown>;
}

/** `layers` from weak to strong. */
export function stackLayers(layers: readonly Layer[]): Stack {
  const settings = { ...DEFAULT_SETTINGS };
  const written = new Map<SettingKey, Written>();
  for (const [strength, layer] of layers.entries()) {
    for (const key of SETTING_KEYS) {
      const placed = take(settings, layer.settings, key);
      if (placed !== undefined) written.set(key, { layer, strength, placed });
    }
  }
  return { settings, written };
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- ties the value to its key
function take<Key extends SettingKey>(
  into: { -readonly [Name in SettingKey]: PolicySettings[Name] },
  from: PlacedSettings<PolicySettings>,
  key: Key,
): Placed<unknown> | undefined {
  const placed = from[key];
  if (placed !== undefined) into[key] = placed.value;
  return placed;
}

const BUILT_IN: Origin = Object.freeze({ layer: 'default', at: '' });

export function resolveStack(stack: Stack): ResolvedPolicy {
  const origins = new Map<string, Origin>();
  for (const key of SETTING_KEYS) {
    const from = stack.written.get(key);
    const origin = from && { layer: from.layer.layer, at: from.layer.at, line: from.placed.place.line };
    origins.set(key, origin ?? BUILT_IN);
  }
  const sources = {
    lease: sourceOf(origins.get('lease')),
    stuckAfter: sourceOf(origins.get('stuckAfter')),
    hardTimeout: sourceOf(origins.get('hardTimeout')),
  };
  return Object.freeze({ policy: freeze(toQueuePolicy(stack.settings)), sources: Object.freeze(sources), origins });
}

/** Defaults, wherever they are written, rank below what is learned of the queue; its own values above. */
function sourceOf(origin: Origin | undefined): ThresholdSource {
  return origin?.layer === 'kind' || origin?.layer === 'queue' ? origin.layer : 'default';
}

/** The same policy is handed to everybody who asks: none of them may change it for the others. */
function freeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part as object);
  return Object.freeze(value);
}
