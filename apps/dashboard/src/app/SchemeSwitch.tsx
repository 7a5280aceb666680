import { NativeSelect, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { common } from '../text/common';

const { scheme } = common;
const CHOICES = [
  { value: 'auto', label: scheme.auto },
  { value: 'light', label: scheme.light },
  { value: 'dark', label: scheme.dark },
] as const satisfies readonly { readonly value: MantineColorScheme; readonly label: string }[];

export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      size="xs"
      aria-label={scheme.label}
      data={[...CHOICES]}
      value={colorScheme}
      onChange={({ currentTarget }) => setColorScheme(CHOICES.find(({ value }) => value === currentTarget.value)?.value ?? 'auto')}
    />
  );
}
