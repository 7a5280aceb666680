import { ACTIONS } from '#libs/domain';
import { defaultOf, type FieldTable } from './fields.js';
import { GATE_FIELDS } from './fields-of-gate.js';
import { GUARD_FIELDS } from './fields-of-guards.js';
import { JOB_FIELDS } from './fields-of-jobs.js';
import { KEEPING_FIELDS } from './fields-of-keeping.js';
import { ROLLBACK_FIELDS, SATURATION_FIELDS } from './fields-of-saturation.js';
import type { PolicySettings, SettingKey } from './policy-settings.js';

/** The one list of policy settings; file, defaults and reference page all follow it. */
export const POLICY_FIELDS: FieldTable<PolicySettings> = {
  ...JOB_FIELDS,
  ...GUARD_FIELDS,
  ...SATURATION_FIELDS,
  ...KEEPING_FIELDS,
  ...ROLLBACK_FIELDS,
  ...GATE_FIELDS,
};

export const SETTING_KEYS = Object.keys(POLICY_FIELDS) as readonly SettingKey[];

/** The keys that `actions: act` sets at once. */
export const ACTION_KEYS = ACTIONS.map((action) => `actions.${action}` as const);

export const DEFAULT_SETTINGS: PolicySettings = readDefaults();

function readDefaults(): PolicySettings {
  const settings: { [Key in SettingKey]?: PolicySettings[Key] } = {};
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- ties the value to its key
  const set = <Key extends SettingKey>(key: Key): void => {
    settings[key] = defaultOf(POLICY_FIELDS[key]);
  };
  for (const key of SETTING_KEYS) set(key);
  return Object.freeze(settings) as PolicySettings;
}
