/** Keys that work on every page. Only ⌘K and Ctrl+K have a modifier, so copy and paste stay as they are. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** The pages that the key `g` followed by one of these keys opens. */
export const GO = {
  n: '/',
  a: '/agents',
  d: '/decisions',
  q: '/approvals',
  s: '/spend',
  p: '/policies',
  w: '/what-if',
  c: '/changes',
  y: '/system',
} as const;

const SECOND_KEY_WITHIN_MS = 1_500;

/** True if single letters are shortcuts. A person can turn them off, as WCAG 2.1.4 requires. */
export function hasLetterKeys(): boolean {
  return localStorage.getItem('mandate.letterKeys') !== 'off';
}

export function useKeys({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goUntilMs = 0;
    function onKey(event: KeyboardEvent) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !hasLetterKeys())
        return;
      const nowMs = Date.now();
      if (goUntilMs > nowMs) {
        goUntilMs = 0;
        const to = GO[event.key as keyof typeof GO];
        if (to !== undefined) void navigate({ to });
      } else if (event.key === 'g') goUntilMs = nowMs + SECOND_KEY_WITHIN_MS;
      else if (event.key === '?') onHelp();
      else if (event.key === 'j' || event.key === 'k') toRow(event.key === 'j' ? 1 : -1);
      else if (event.key === '/') {
        const first = document.querySelector<HTMLElement>('main input[type=search], main form input');
        if (first !== null) {
          event.preventDefault();
          first.focus();
        }
      }
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, onPalette, onHelp]);
}

/** Puts the focus on the next row (1) or the row before (-1). Enter opens it. */
function toRow(steps: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')].filter((row) => linkOf(row));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? rows.find((row) => row.getBoundingClientRect().bottom > 0) : rows[at + steps];
  linkOf(next)?.focus();
}

/** The link of the row's name, otherwise the last link, because the first link of a decision leads to its agent. */
function linkOf(row: HTMLElement | undefined): HTMLElement | null {
  return row?.querySelector<HTMLElement>('th a') ?? [...(row?.querySelectorAll('a') ?? [])].at(-1) ?? null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
