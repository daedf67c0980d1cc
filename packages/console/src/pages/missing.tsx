/** What an address shows if nothing is there: an unknown page, or a document that does not exist. */
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PAGES } from '../palette.tsx';
import { Page } from '../parts/page.tsx';

/** An address that no page has. */
export function NoPage() {
  const { pathname } = useLocation();
  return (
    <Missing heading="Page not found" what={`There is no page at ${pathname}.`}>
      <p>Check the address, or go to one of these pages:</p>
      <ul className="row" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
        {PAGES.map(([to, label]) => (
          <li key={to}>
            <Link className="button" to={to}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </Missing>
  );
}

/**
 * @param what what does not exist, as a sentence
 * @param children what to do, with links
 */
export function Missing({
  heading,
  what,
  actions,
  children,
}: {
  heading: string;
  what: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page heading={heading} actions={actions}>
      <section className="panel stack" aria-label={heading}>
        <p>
          <strong>{what}</strong>
        </p>
        {children}
      </section>
    </Page>
  );
}
