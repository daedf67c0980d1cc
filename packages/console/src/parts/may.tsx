/**
 * A button that says why it cannot be pressed. The keyboard can still reach it, so that every person can read the
 * reason.
 */
import { type ButtonHTMLAttributes, useId } from 'react';

export function May({
  whyNot,
  onClick,
  children,
  ...rest
}: { whyNot: string | null } & ButtonHTMLAttributes<HTMLButtonElement>) {
  const id = useId();
  if (whyNot === null)
    return (
      <button type="button" onClick={onClick} {...rest}>
        {children}
      </button>
    );
  return (
    <>
      <button type="button" {...rest} aria-disabled="true" aria-describedby={id} title={whyNot}>
        {children}
      </button>
      <span id={id} className="visually-hidden">
        {whyNot}
      </span>
    </>
  );
}
