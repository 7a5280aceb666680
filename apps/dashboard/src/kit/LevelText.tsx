import { common } from '../text/common';
import { StatusText, type Shape, type Tone } from './StatusText';

export type Level = keyof typeof common.level;

const LOOKS: Readonly<Record<Level, readonly [Tone, Shape]>> = {
  observe: ['calm', 'eye'],
  approve: ['busy', 'hand'],
  act: ['ok', 'bolt'],
};

/** What Jobwarden may do about a queue by itself. */
export function LevelText({ level, title }: { readonly level: Level; readonly title?: string }) {
  const [tone, shape] = LOOKS[level];
  return <StatusText text={common.level[level]} tone={tone} shape={shape} {...(title !== undefined && { title })} />;
}
