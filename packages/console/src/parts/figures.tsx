/** A few numbers at the beginning of a page. */
import { Link } from '@tanstack/react-router';

/** A number, its label, and the page that lists the counted things, with its search. */
export type Figure = readonly [value: string, what: string, to?: string, search?: Record<string, string>];

export function Figures({ of }: { of: readonly Figure[] }) {
  return (
    <div className="figures">
      {of.map(([value, what, to, search = {}]) => (
        <div key={what} className="figure">
          <strong>{value}</strong>{' '}
          {to === undefined ? (
            what
          ) : (
            <Link to={to} search={search}>
              {what}
            </Link>
          )}
        </div>
      ))}
    </div>
  );
}
