/**
 * A draft of a policy: the editor, its faults, and the effects of the draft, computed by the policy engine of the
 * plane.
 */

import type { PolicyDocument } from '@mandate/schemas';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Problem } from '../parts/problem.tsx';
import { askWorker } from './ask-worker.ts';
import { Effects } from './document-diff.tsx';
import type { Checked, InForce } from './messages.ts';

export type Draft = Checked & { text: string };

/**
 * The drafts that are not published yet, by policy. They last until the page is closed. The page What-if uses them too.
 */
const drafts = new Map<string, string>();

/** Removes a draft that was published or discarded. */
export function forgetDraft(policyId: string): void {
  drafts.delete(policyId);
}

export function PolicyEditor({
  policy,
  inForce,
  onDraft,
}: {
  policy: PolicyDocument;
  inForce: InForce;
  onDraft: (draft: Draft) => void;
}) {
  const written = useQuery({
    queryKey: ['written', policy],
    queryFn: () => askWorker({ kind: 'write', policy }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (written.error !== null) return <Problem error={written.error} />;
  if (written.data === undefined) return <p role="status">The editor is coming …</p>;
  return <Editor original={written.data} inForce={inForce} onDraft={onDraft} name={policy.id} />;
}

function Editor({
  original,
  inForce,
  onDraft,
  name,
}: {
  original: string;
  inForce: InForce;
  onDraft: (draft: Draft) => void;
  name: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const told = useRef({ inForce, onDraft });
  told.current = { inForce, onDraft };
  useEffect(() => {
    let close: (() => void) | null = null;
    let isGone = false;
    async function check(text: string): Promise<Checked> {
      const checked = await askWorker({ kind: 'check', text, inForce: told.current.inForce });
      if (isGone) return checked;
      if (text === original) drafts.delete(name);
      else drafts.set(name, text);
      told.current.onDraft({ ...checked, text });
      return checked;
    }
    import('./editor.ts').then(({ openEditor }) => {
      if (isGone || host.current === null) return;
      close = openEditor(host.current, {
        label: `The policy ${name}, as YAML`,
        text: drafts.get(name) ?? original,
        original,
        check,
      });
    }, setFailed);
    return () => {
      isGone = true;
      close?.();
    };
  }, [original, name]);
  return (
    <>
      {failed !== null && <Problem error={failed} />}
      <div ref={host} />
    </>
  );
}

/** What a draft newly allows, and what it no longer allows. */
export function DraftEffects({ draft: { widens, narrows } }: { draft: Draft }) {
  if (widens === null || narrows === null) return null;
  return (
    <div aria-live="polite">
      <Effects widens={widens} narrows={narrows} />
    </div>
  );
}

/** The faults and warnings of a draft. */
export function DraftNotes({ draft }: { draft: Draft }) {
  const { faults, doubts, findings } = draft;
  return (
    <div className="stack" aria-live="polite">
      {faults.length > 0 && (
        <ul>
          {faults.map((one) => (
            <li key={`${one.line} ${one.column} ${one.message}`}>
              <strong>✕ line {one.line}</strong>: {one.message}
            </li>
          ))}
        </ul>
      )}
      {doubts.map((one) => (
        <p key={`${one.line} ${one.message}`}>
          <strong>! line {one.line}</strong>: {one.message}
        </p>
      ))}
      {findings !== null && findings.length > 0 && (
        <details>
          <summary>
            {findings.length} {findings.length === 1 ? 'doubt' : 'doubts'} about all documents together
          </summary>
          <ul>
            {findings.map((one) => (
              <li key={`${one.code} ${one.message}`}>
                <code>{one.code}</code>: {one.message} <span className="quiet">{one.remedy}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
