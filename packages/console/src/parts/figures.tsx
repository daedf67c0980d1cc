/** A few numbers that a page begins with. */
import { Link } from '@tanstack/react-router';

/** @param of each number, what it counts, and the page that lists what is counted */
export function Figures({ of }: { of: readonly (readonly [value: string, what: string, to?: string])[] }) {
  return (
    <div className="figures">
      {of.map(([value, what, to]) => (
        <div key={what} className="figure">
          <strong>{value}</strong> {to === undefined ? what : <Link to={to}>{what}</Link>}
        </div>
      ))}
    </div>
  );
}
