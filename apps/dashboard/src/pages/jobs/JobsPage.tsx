import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { Panel } from '../../kit/Panel';
import { PageTurner } from '../../kit/PageTurner';
import { QueryView } from '../../kit/QueryView';
import { useNamespace } from '../../routes/namespace';
import { usePageQuery } from '../../routes/page-query';
import { visible } from '../../text/format';
import { jobs as words } from '../../text/jobs';
import { JobFilters } from './JobFilters';
import { JobTable } from './JobTable';
import { filtersOf, isFiltered } from './filters';
import { jobsQuery } from './jobs-query';

export default function JobsPage() {
  const namespace = useNamespace();
  const [query] = usePageQuery();
  const filters = filtersOf(query);
  const next = query.get('next');
  const found = useQuery(jobsQuery(namespace, filters, next));
  return (
    <Page title={words.title} lead={words.lead(visible(namespace))}>
      <JobFilters filters={filters} namespace={namespace} />
      <Panel title={words.title} flush>
        <QueryView query={found}>
          {({ items, next: after }) =>
            items.length === 0 && next === null ? (
              isFiltered(filters) ? (
                <Empty title={words.none} text={words.noneText} />
              ) : (
                <Empty title={words.noneYet} text={words.noneYetText} />
              )
            ) : (
              <div aria-busy={found.isPlaceholderData}>
                <JobTable jobs={items} filters={filters} />
                <PageTurner at={next} next={after} />
              </div>
            )
          }
        </QueryView>
      </Panel>
    </Page>
  );
}
