/** Keys and roles, alerts, dead letters, and the health of every part of the plane. */
import type { AlertListed, AlertRuleShown, LastReconcile } from '@mandate/alerter';
import type { MandatesFileShown, RoleKeyShown } from '@mandate/control-service';
import type { Analytics, DeadLetterFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { alertTitle, alertWhen } from '../data/alert-rules.ts';
import { withQuery } from '../data/api.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { bucketStart, zone } from '../data/time.ts';
import { Lines } from '../parts/chart.tsx';
import { ListSection } from '../parts/list-section.tsx';
import { Money } from '../parts/money.tsx';
import { Page } from '../parts/page.tsx';
import styles from '../parts/parts.module.css';
import { Empty } from '../parts/problem.tsx';
import { Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

export function System() {
  return (
    <Page
      heading="System"
      question="Whether the plane is well, and who may do what."
      same={{ path: '/readyz' }}
    >
      <Parts />
      <Latency />
      <Books />
      <MandatesFile />
      <Keys />
      <Alerts />
      <AlertRules />
      <DeadLetters />
    </Page>
  );
}

type Readiness = { checks: readonly { name: string; ok: boolean; detail?: string }[] };

/** Several services of a plane check the same part. The part is healthy if all of them report it as healthy. */
function partsOf(checks: Readiness['checks']) {
  return [...Map.groupBy(checks, ({ name }) => name)].map(([name, same]) => ({
    name,
    ok: same.every(({ ok }) => ok),
    details: [...new Set(same.flatMap(({ detail }) => detail ?? []))],
  }));
}

function Parts() {
  const read = useRead<Readiness>('/readyz');
  return (
    <Section heading="Parts">
      <Read of={read} what="the parts">
        {({ checks }) => (
          <ul className="row" style={{ listStyle: 'none', padding: 0 }}>
            {partsOf(checks).map(({ name, ok, details }) => (
              <li key={name} className={`${styles.verdict} ${ok ? styles.allow : styles.block}`}>
                {ok ? '✓' : '✕'} {name}
                {details.length > 0 && `: ${details.join('; ')}`}
              </li>
            ))}
          </ul>
        )}
      </Read>
    </Section>
  );
}

function Latency() {
  const read = useRead<Analytics>(
    withQuery('/v1/audit/analytics', { from: '24h', interval: '1h', timeZone: zone() }),
  );
  return (
    <Section heading="Time from the log to the decision, 24 hours" isPanel>
      <Read of={read} what="the latency">
        {({ groups: [all] }) =>
          all?.buckets === undefined ? (
            <Empty>Nothing was decided in 24 hours.</Empty>
          ) : (
            <Lines
              label="Latency of decisions by hour"
              places={all.buckets.map(({ start }) => bucketStart(start, '1h'))}
              series={[
                { name: 'half are decided within', values: all.buckets.map(({ p50Ms }) => p50Ms) },
                { name: '99 of 100 are decided within', values: all.buckets.map(({ p99Ms }) => p99Ms) },
              ]}
              exact={(ms) => `${ms} ms`}
              short={(ms) => `${ms} ms`}
            />
          )
        }
      </Read>
    </Section>
  );
}

type MandateShown = MandatesFileShown['mandates'][number];

const MANDATE_COLUMNS: readonly Column<MandateShown>[] = [
  { head: 'Mandate', isHead: true, cell: ({ id }) => id },
  { head: 'For the agents', look: 'wide', cell: ({ agents }) => agents.join(', ') },
  { head: 'Hash', look: 'code', cell: ({ hash }) => <span title={hash}>{hash.slice(0, 12)}</span> },
];

/** The file applies to agents of all tenants, so a key of one tenant may not read it. */
function MandatesFile() {
  const mayNot = useWhyNot('operate:all');
  const read = useRead<MandatesFileShown>(mayNot === null ? '/v1/mandates-file' : null);
  if (mayNot !== null) return null;
  return (
    <Section heading="Mandates file">
      <Read of={read} what="the mandates file">
        {({ mandates, faults, inForceSince }) => (
          <>
            <p>
              In force since <When at={inForceSince} />.
            </p>
            {faults.length > 0 && (
              <div role="alert">
                <strong>A newer edit is not in force:</strong>
                <ul>
                  {faults.map(({ line, column, path, message }) => (
                    <li key={`${line}:${column} ${path}`}>
                      line {line}, column {column}, <code>{path}</code>: {message}
                    </li>
                  ))}
                </ul>
              </div>
            )}
            <Table
              label="Mandates of the file"
              columns={MANDATE_COLUMNS}
              rows={mandates}
              nameOf={({ id }) => id}
              empty="The file names no agent."
            />
          </>
        )}
      </Read>
    </Section>
  );
}

function Books() {
  const read = useRead<LastReconcile>('/v1/reconcile');
  return (
    <Section heading="Books" isPanel>
      <Read of={read} what="the books">
        {({ last }) =>
          last === null ? (
            <p>
              No result was reported. <code>mandate reconcile --alert</code> compares log, ledger and audit,
              and reports it.
            </p>
          ) : (
            <p>
              {last.differences === 0 ? '✓ The books agree' : '✕ The books differ'}: {last.counters} counters
              were compared, and {last.differences} differ. The drift is <Money micros={last.driftMicros} />.
              Reported by {last.by}, <When at={last.at} />.
            </p>
          )
        }
      </Read>
    </Section>
  );
}

const KEY_COLUMNS: readonly Column<RoleKeyShown>[] = [
  { head: 'Name', look: 'wide', cell: ({ name }) => name },
  { head: 'Role', cell: ({ role }) => role },
  {
    head: 'Key',
    look: 'code',
    cell: ({ id }) => (
      <Link to="/changes" search={{ by: id }} title="What this key changed">
        {id}
      </Link>
    ),
  },
  { head: 'Made', cell: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <When at={expiresAt} />) },
];

function Keys() {
  const whyNot = useWhyNot('admin');
  const heading = 'Keys of people and services';
  if (whyNot !== null)
    return (
      <Section heading={heading}>
        <p>{whyNot}</p>
      </Section>
    );
  return (
    <ListSection
      heading={heading}
      path="/v1/keys"
      list="keys"
      columns={KEY_COLUMNS}
      nameOf={({ id }) => id}
      empty={
        <>
          No key was issued through the plane. Keys that are in a file, such as those of the first start, are
          listed by <code>mandate keys list</code>.
        </>
      }
      after={
        <p>
          <code>mandate keys issue --name NAME --role viewer --url {window.location.origin}</code> gives
          somebody a key. Other roles may do more.
        </p>
      }
    />
  );
}

const ALERT_COLUMNS: readonly Column<AlertListed>[] = [
  { head: 'Time', isClear: true, cell: ({ at }) => <When at={at} /> },
  {
    head: 'Rule',
    cell: ({ rule, event }) => `${alertTitle(rule)}${event === 'alert.cleared' ? ' (over)' : ''}`,
  },
  { head: 'What', look: 'wide', isClear: true, cell: ({ message }) => message },
  {
    head: 'Delivered to',
    look: 'wide',
    cell: ({ deliveries }) =>
      deliveries.map(({ webhook, state }) => `${webhook}: ${state}`).join(', ') || 'nobody',
  },
];

function Alerts() {
  return (
    <ListSection
      heading="Alerts"
      path="/v1/alerts?limit=20"
      list="alerts"
      columns={ALERT_COLUMNS}
      nameOf={({ id, event }) => `${id} ${event}`}
      empty="No alert was raised."
    />
  );
}

const ALERT_RULE_COLUMNS: readonly Column<AlertRuleShown>[] = [
  { head: 'Rule', isHead: true, cell: ({ rule }) => alertTitle(rule) },
  { head: 'State', cell: ({ on }) => (on ? 'on' : 'off') },
  { head: 'Raised when', isClear: true, look: 'wide', cell: alertWhen },
  {
    head: 'Settings',
    cell: ({ rule, settings }) => (
      <details>
        <summary>Show</summary>
        <pre>{JSON.stringify({ rule, ...settings }, null, 2)}</pre>
      </details>
    ),
  },
  { head: 'Goes to', look: 'wide', cell: ({ webhooks }) => webhooks.join(', ') || 'nobody' },
];

function AlertRules() {
  return (
    <ListSection
      heading="Alert rules"
      path="/v1/alerts/rules"
      list="rules"
      columns={ALERT_RULE_COLUMNS}
      nameOf={({ rule }) => rule}
      empty="No rule is in force."
    />
  );
}

const LETTER_COLUMNS: readonly Column<DeadLetterFound>[] = [
  { head: 'Found', cell: ({ foundAt }) => <When at={foundAt} /> },
  { head: 'Code', look: 'code', cell: ({ code }) => code },
  { head: 'What is wrong', look: 'wide', cell: ({ reason }) => reason },
  {
    head: 'Log position',
    look: 'wide',
    cell: ({ source: { topic, partition, offset } }) => `${topic}, partition ${partition}, offset ${offset}`,
  },
];

function DeadLetters() {
  return (
    <ListSection
      heading="Dead letters"
      path="/v1/audit/dead-letters?limit=20"
      list="deadLetters"
      what="dead letters"
      columns={LETTER_COLUMNS}
      nameOf={({ id }) => id}
      empty="Every record could be read."
    />
  );
}
