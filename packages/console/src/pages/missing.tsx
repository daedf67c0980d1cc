/** The content of an address without a page or a document. */
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PAGES } from '../palette.tsx';
import { Page } from '../parts/page.tsx';

/** An address without a page. */
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
 * @param what a sentence that says what does not exist
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
