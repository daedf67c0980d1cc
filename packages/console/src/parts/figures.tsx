/** A few numbers that a page begins with. */
import { Link } from '@tanstack/react-router';

/** A number, what it counts, and the page that lists what is counted, with its search. */
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
