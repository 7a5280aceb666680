import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Problem } from '../../api/problem';
import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters } from '../../text/dead-letters';
import { patternLettersQuery, patternQuery, type PatternDetail } from './letter-queries';
import { LetterTable } from './LetterTable';
import { MarkText } from './MarkText';
import { PatternStanding } from './PatternStanding';
import { PatternTrend } from './PatternTrend';
import { RedriveManyButton } from './RedriveManyButton';
import { ReviewPatternButton } from './ReviewButtons';
import { patternTitle } from './words';

const { pattern: text } = deadLetters;

export default function PatternPage() {
  const { id = '' } = useParams();
  const found = useQuery(patternQuery(id));
  if (found.error instanceof Problem && found.error.status === 404) {
    return (
      <Page title={text.heading}>
        <Empty title={text.unknown} text={text.unknownText} />
      </Page>
    );
  }
  const pattern = found.data;
  if (pattern === undefined) {
    return (
      <Page title={text.heading}>
        <QueryView query={found}>{() => null}</QueryView>
      </Page>
    );
  }
  return <Known key={pattern.id} pattern={pattern} />;
}

function Known({ pattern }: { readonly pattern: PatternDetail }) {
  const [query] = usePageQuery();
  const next = query.get('next');
  const letters = useQuery(patternLettersQuery(pattern.id, next));
  const none = next === null && letters.data?.items.length === 0;
  const title = patternTitle(pattern);
  return (
    <Page
      title={title}
      heading={<bdi>{title}</bdi>}
      lead={<MarkText pattern={pattern} />}
      actions={
        <>
          <RedriveManyButton pattern={pattern} blocked={none ? text.noLettersText : null} />
          <ReviewPatternButton pattern={pattern} />
        </>
      }
    >
      <PatternStanding pattern={pattern} />
      <PatternTrend pattern={pattern} />
      <Panel title={text.letters} flush>
        <QueryView query={letters}>
          {({ items, next: after }) =>
            none ? (
              <Empty title={text.noLetters} text={text.noLettersText} />
            ) : (
              <div aria-busy={letters.isPlaceholderData}>
                <LetterTable letters={items} oneQueue />
                <PageTurner at={next} next={after} />
              </div>
            )
          }
        </QueryView>
      </Panel>
    </Page>
  );
}
