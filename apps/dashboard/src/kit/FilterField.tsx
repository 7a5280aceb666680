import { TextInput } from '@mantine/core';
import { useState } from 'react';

interface Props {
  readonly label: string;
  /** As the address has it. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/**
 * A text that lives in the address. The address follows a moment later, so while somebody types the field keeps its own: letters that
 * are typed quickly would be lost.
 */
export function FilterField({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed ?? value}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(currentTarget.value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
