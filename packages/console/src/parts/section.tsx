import { type ReactNode, useId } from 'react';

/** A part of a page, with its heading. */
export function Section({
  heading,
  isPanel = false,
  children,
}: {
  heading: ReactNode;
  isPanel?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={isPanel ? 'panel stack' : 'stack'} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}
