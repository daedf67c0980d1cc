/** Keys that work on every page. Only ⌘K and Ctrl+K have a modifier, so copy and paste stay as they are. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** `g`, then one of these, goes to a page. */
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

/** True if single letters are shortcuts. A person may turn them off, as WCAG 2.1.4 asks. */
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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
