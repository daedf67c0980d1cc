/**
 * The differences between two versions of a policy: the lines, what is newly allowed, and what is no longer allowed.
 */
import type { PolicyDocument } from '@mandate/schemas';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Lines } from '../parts/lines.tsx';
import { Problem } from '../parts/problem.tsx';
import { askWorker } from './ask-worker.ts';

export function DocumentDiff({ before, after }: { before: PolicyDocument; after: PolicyDocument }) {
  const { data, error } = useQuery({
    queryKey: ['compared', before, after],
    queryFn: () => askWorker({ kind: 'compare', before, after }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (earlier) => earlier,
  });
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <p role="status">Working it out …</p>;
  return (
    <div className="stack">
      <Effects widens={data.widens} narrows={data.narrows} />
      <Lines before={data.before} after={data.after} same="The documents are equal." />
    </div>
  );
}

/** What a version newly allows, and what it no longer allows. */
export function Effects({ widens, narrows }: { widens: readonly string[]; narrows: readonly string[] }) {
  return (
    <div className="columns">
      <Effect heading="What it newly allows" lines={widens} />
      <Effect heading="What it takes away" lines={narrows} />
    </div>
  );
}

function Effect({ heading, lines }: { heading: string; lines: readonly string[] }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {lines.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
