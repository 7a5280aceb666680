import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent } from 'react';
import { usePageQuery } from '../../routes/page-query';
import { common } from '../../text/common';
import { utc, visible } from '../../text/format';
import { jobs } from '../../text/jobs';
import classes from './JobFilters.module.css';
import { isFiltered, queueNamesQuery, sinceOf, WITHIN, type Filters, type Status, type Within } from './jobs-query';

const { filter: text } = jobs;
const STATUSES = Object.keys(common.status) as readonly Status[];
/** Another filter is another list: it begins at its first page. */
const FROM_THE_START = { next: null };

/** Typed filters hold once they are sent, chosen ones at once. All of them live in the address. */
export function JobFilters({ filters, namespace }: { readonly filters: Filters; readonly namespace: string }) {
  const [, change] = usePageQuery();
  // The address is right: whoever comes back to it finds in the fields what it says.
  return <Form key={JSON.stringify([namespace, filters])} filters={filters} namespace={namespace} change={(changes) => change({ ...changes, ...FROM_THE_START })} />;
}

interface FormProps {
  readonly filters: Filters;
  readonly namespace: string;
  readonly change: (changes: Readonly<Record<string, string | null>>) => void;
}

function Form({ filters, namespace, change }: FormProps) {
  const [typing, setTyping] = useState(false);
  const queues = useQuery({ ...queueNamesQuery(namespace), enabled: typing });
  const list = useId();
  const typed = (form: HTMLFormElement): Readonly<Record<string, string | null>> => {
    const data = new FormData(form);
    const of = (name: string): string | null => {
      const value = data.get(name);
      return typeof value === 'string' && value !== '' ? value : null;
    };
    return { id: of('id'), queue: of('queue'), kind: of('kind'), worker: of('worker') };
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change(typed(event.currentTarget));
  };
  return (
    <search>
      <form className={classes.form} aria-label={text.label} onSubmit={submit} onFocus={() => setTyping(true)}>
        <TextInput className={classes.wide ?? ''} size="xs" name="id" label={text.id} placeholder={text.idHelp} defaultValue={filters.id ?? ''} autoComplete="off" spellCheck={false} />
        <TextInput size="xs" name="queue" label={text.queue} defaultValue={filters.queue ?? ''} list={list} autoComplete="off" spellCheck={false} />
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
          onChange={({ currentTarget }) => change({ ...(currentTarget.form !== null && typed(currentTarget.form)), status: currentTarget.value })}
        />
        <TextInput size="xs" name="kind" label={text.kind} defaultValue={filters.kind ?? ''} autoComplete="off" spellCheck={false} />
        <TextInput size="xs" name="worker" label={text.worker} placeholder={text.workerHelp} defaultValue={filters.worker ?? ''} autoComplete="off" spellCheck={false} />
        <NativeSelect
          size="xs"
          label={text.since}
          value={filters.since ?? ''}
          data={[
            { value: '', label: text.anyTime },
            ...(filters.since === undefined ? [] : [{ value: filters.since, label: text.from(utc(Date.parse(filters.since)).replace(/:00\.000/, '')) }]),
            ...WITHIN.map((within) => ({ value: within, label: text.within[within] })),
          ]}
          onChange={({ currentTarget: { value, form } }) => change({ ...(form !== null && typed(form)), since: isWithin(value) ? sinceOf(value, Date.now()) : value })}
        />
        <div className={classes.buttons}>
          <Button size="xs" type="submit">
            {text.apply}
          </Button>
          {isFiltered(filters) && (
            <Button size="xs" variant="default" onClick={() => change({ id: null, queue: null, status: null, kind: null, worker: null, since: null })}>
              {text.clear}
            </Button>
          )}
        </div>
      </form>
      {hidden(filters).length > 0 && <p className={classes.hidden}>{text.hidden(hidden(filters).join(', '))}</p>}
    </search>
  );
}

const isWithin = (value: string): value is Within => (WITHIN as readonly string[]).includes(value);

/** A field of a form shows nothing of characters that cannot be seen, and two names that differ would look the same. */
const hidden = (filters: Filters): readonly string[] => [filters.id, filters.queue, filters.kind, filters.worker].flatMap((value) => (value === undefined || visible(value) === value ? [] : [visible(value)]));
