/** A form whose fields are the parameters of the address. So every search is a link. */

import type { ValueFound } from '@mandate/query';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { withQuery } from '../data/api.ts';
import { useParameters } from '../data/parameters.ts';
import { givenPeriodInWords } from '../data/period.ts';
import { readAgain, useRead } from '../data/read.ts';
import { May } from './may.tsx';

export function SearchForm({ to, children }: { to: string; children: ReactNode }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const parameters = useParameters();
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
    void navigate({ to, search: Object.fromEntries(given.filter(([, value]) => value !== '')) });
    // If a person repeats the same search, the data are read again.
    readAgain(queries);
  }
  return (
    <form ref={form} className="filters" onSubmit={submit} key={JSON.stringify(parameters)}>
      {children}
      <button type="submit" className="primary">
        Search
      </button>
      <May
        whyNot={Object.keys(parameters).length === 0 ? 'No filter is set.' : null}
        onClick={() => void navigate({ to, search: {} })}
      >
        Clear
      </May>
    </form>
  );
}

/** The maximum number of suggestions for a filter. If there may be more, they are requested while a person types. */
const SUGGESTED = 100;
const QUIET_MS = 300;

/**
 * @param placeholder default: a text that says that the name must be complete
 * @param field suggests the values that decisions have in this field. They are read when the filter gets the focus
 */
export function TextFilter({
  name,
  label,
  placeholder = 'whole name',
  field,
}: {
  name: string;
  label: string;
  placeholder?: string;
  field?: string;
}) {
  const list = useId();
  const [isAsked, setAsked] = useState(false);
  const [prefix, setPrefix] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const { data } = useRead<{ values: ValueFound[] }>(
    isAsked && field !== undefined
      ? withQuery('/v1/audit/values', { field, prefix, limit: SUGGESTED })
      : null,
  );
  const parameters = useParameters();
  return (
    <label>
      {label}
      <input
        type="search"
        name={name}
        defaultValue={parameters[name] ?? ''}
        placeholder={placeholder}
        list={data === undefined ? undefined : list}
        onFocus={() => setAsked(true)}
        onChange={({ target: { value } }) => {
          clearTimeout(timer.current ?? undefined);
          const isWhole = data !== undefined && data.values.length < SUGGESTED && value.startsWith(prefix);
          if (!isWhole) timer.current = setTimeout(() => setPrefix(value.trim()), QUIET_MS);
        }}
      />
      {data !== undefined && (
        <datalist id={list}>
          {data.values.map(({ value }) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** A parameter that is `true`, or absent. */
export function SwitchFilter({ name, label }: { name: string; label: string }) {
  const parameters = useParameters();
  return (
    <label className="beside">
      <input type="checkbox" name={name} value="true" defaultChecked={parameters[name] === 'true'} />
      {label}
    </label>
  );
}

export function ChoiceFilter({ name, label, choices, unset }: Choices & { name: string; label: string }) {
  const parameters = useParameters();
  return (
    <label>
      {label}
      <select name={name} defaultValue={parameters[name] ?? ''}>
        <Options choices={choices} unset={unset} />
      </select>
    </label>
  );
}

type Choices = {
  choices: readonly (readonly [value: string, text: string])[];
  /** The text of the choice without a filter. Absent: one choice is always set, by default the first. */
  unset?: string | undefined;
};

function Options({ choices, unset }: Choices) {
  return (
    <>
      {unset !== undefined && <option value="">{unset}</option>}
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  );
}

/**
 * The parameters `from` and `to`. A period in the address that is not among the choices becomes an additional choice.
 * So a search keeps the period of the link that opened the page.
 */
export function PeriodFilter({ choices = PERIODS, unset }: Partial<Choices>) {
  const { from, to } = useParameters();
  const first = unset === undefined ? (choices[0]?.[0] ?? '') : '';
  const isChoice = to === undefined && (from === undefined || choices.some(([value]) => value === from));
  const [chosen, setChosen] = useState(isChoice ? (from ?? first) : GIVEN);
  const isGiven = chosen === GIVEN;
  return (
    <label>
      Period
      <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
        {!isChoice && <option value={GIVEN}>{givenPeriodInWords(from, to, Date.now())}</option>}
        <Options choices={choices} unset={unset} />
      </select>
      <input type="hidden" name="from" value={isGiven ? (from ?? '') : chosen} />
      {isGiven && <input type="hidden" name="to" value={to ?? ''} />}
    </label>
  );
}

/** The value of the choice that keeps the period of the address. */
const GIVEN = 'given';

/** The periods that people can choose, in the form that the routes accept. */
export const PERIODS = [
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
  ['90d', 'last 90 days'],
] as const;

/** The length of the buckets of a chart over one of these periods. */
export function intervalOf(period: string): string {
  if (period === '1h') return '5m';
  return period === '24h' ? '1h' : '1d';
}
