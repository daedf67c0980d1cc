import { Link } from '@tanstack/react-router';

/**
 * The author of a change, as the record states it: `ann (kQ2mZ8xW4pLd)`, a name, or the id of a key. Links to all
 * changes by this author.
 */
export function By({ who }: { who: string | null }) {
  if (who === null || who === '') return <>not recorded</>;
  return (
    <Link to="/changes" search={{ by: who }} title={`All changes by ${who}`}>
      {who}
    </Link>
  );
}
