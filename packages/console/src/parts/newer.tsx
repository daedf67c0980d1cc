import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { type LiveEvent, useLiveEvents } from '../data/live.ts';
import { readAgain } from '../data/read.ts';

/**
 * Says how many events have arrived since the page was read, and reads it again when a person asks. It never reads by
 * itself, because the audit records each read, and rows would move under the pointer.
 */
export function Newer({ isAbout, onShow }: { isAbout: (event: LiveEvent) => boolean; onShow?: () => void }) {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const [isLeast, setLeast] = useState(false);
  useLiveEvents(
    useCallback(
      (event: LiveEvent) => {
        if (event.kind === 'skipped') setLeast(true);
        else if (isAbout(event)) setCount((before) => before + 1);
      },
      [isAbout],
    ),
  );
  if (count === 0) return null;
  return (
    <p role="status" className="row">
      {isLeast && 'More than '}
      {count} new since this page was read.
      <button
        type="button"
        onClick={() => {
          setCount(0);
          setLeast(false);
          onShow?.();
          readAgain(queries);
        }}
      >
        Show
      </button>
    </p>
  );
}
