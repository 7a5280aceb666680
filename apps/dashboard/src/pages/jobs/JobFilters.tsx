import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ChangeEvent, type SubmitEvent } from 'react';
import { usePageQuery } from '../../routes/page-query';
import { common } from '../../text/common';
import { utc, visible } from '../../text/format';
import { jobs } from '../../text/jobs';
import classes from './JobFilters.module.css';
import { isFiltered, sinceOf, WITHIN, type Filters, type Status, type Within } from './filters';
import { queueNamesQuery } from './jobs-query';

const { filter: text } = jobs;
const STATUSES = Object.keys(common.status) as readonly Status[];
/** Another filter is another list: it begins at its first page. */
const FROM_THE_START = { next: null };

const TYPED = ['id', 'queue', 'kind', 'worker'] as const;
type Typed = Readonly<Record<(typeof TYPED)[number], string>>;

interface Props {
  readonly filters: Filters;
  readonly namespace: string;
}

/** Typed filters hold once they are sent, chosen ones at once. All of them live in the address. */
export function JobFilters({ filters, namespace }: Props) {
  const [, setQuery] = usePageQuery();
  const [typing, setTyping] = useState(false);
  const [typed, setTyped] = useTyped(filters);
  const queues = useQuery({ ...queueNamesQuery(namespace), enabled: typing });
  const list = useId();
  const change = (changes: Readonly<Record<string, string | null>>): void => setQuery({ ...typed, ...changes, ...FROM_THE_START });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change({});
  };
  const clear = (): void => {
    setTyped({ id: '', queue: '', kind: '', worker: '' });
    setQuery({ id: null, queue: null, status: null, kind: null, worker: null, since: null, ...FROM_THE_START });
  };
  const field = (name: keyof Typed) => ({
    size: 'xs' as const,
    value: typed[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => setTyped({ ...typed, [name]: currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <search>
      <form className={classes.form} aria-label={text.label} onSubmit={submit} onFocus={() => setTyping(true)}>
        <TextInput className={classes.wide ?? ''} label={text.id} placeholder={text.idHelp} {...field('id')} />
        <TextInput label={text.queue} list={list} {...field('queue')} />
        <datalist id={list}>
          {(queues.data ?? []).map((queue) => (
            <option key={queue} value={queue} />
          ))}
        </datalist>
        <NativeSelect
          size="xs"
          label={text.status}
          value={filters.status ?? ''}
          data={[{ value: '', label: text.anyStatus }, ...STATUSES.map((status) => ({ value: status, label: common.status[status] }))]}
          onChange={({ currentTarget }) => change({ status: currentTarget.value })}
        />
        <TextInput label={text.kind} {...field('kind')} />
        <TextInput label={text.worker} placeholder={text.workerHelp} {...field('worker')} />
        <NativeSelect
          size="xs"
          label={text.since}
          value={filters.since ?? ''}
          data={[
            { value: '', label: text.anyTime },
            ...(filters.since === undefined ? [] : [{ value: filters.since, label: text.from(utc(Date.parse(filters.since)).replace(/:00\.000/, '')) }]),
            ...WITHIN.map((within) => ({ value: within, label: text.within[within] })),
          ]}
          onChange={({ currentTarget: { value } }) => change({ since: isWithin(value) ? sinceOf(value, Date.now()) : value })}
        />
        <div className={classes.buttons}>
          <Button size="xs" type="submit">
            {text.apply}
          </Button>
          {isFiltered(filters) && (
            <Button size="xs" variant="default" onClick={clear}>
              {text.clear}
            </Button>
          )}
        </div>
      </form>
      {hidden(filters).length > 0 && <p className={classes.hidden}>{text.hidden(hidden(filters).join(', '))}</p>}
    </search>
  );
}

/** What stands in the fields: as it is typed, and as the address says where that has changed. */
function useTyped(filters: Filters) {
  const [typed, setTyped] = useState<Typed>(() => ({ id: filters.id ?? '', queue: filters.queue ?? '', kind: filters.kind ?? '', worker: filters.worker ?? '' }));
  const [known, setKnown] = useState(filters);
  const changed = TYPED.filter((name) => known[name] !== filters[name]);
  if (changed.length > 0) {
    setKnown(filters);
    setTyped({ ...typed, ...Object.fromEntries(changed.map((name) => [name, filters[name] ?? ''])) });
  }
  return [typed, setTyped] as const;
}

const isWithin = (value: string): value is Within => (WITHIN as readonly string[]).includes(value);

/** A field of a form shows nothing of characters that cannot be seen, and two names that differ would look the same. */
const hidden = (filters: Filters): readonly string[] => [filters.id, filters.queue, filters.kind, filters.worker].flatMap((value) => (value === undefined || visible(value) === value ? [] : [visible(value)]));
