import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { Problem } from '../../api/problem';
import { DownloadButton } from '../../kit/DownloadButton';
import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StepList } from '../../kit/StepList';
import { pathTo } from '../../routes/paths';
import { visible } from '../../text/format';
import { incident as incidentText } from '../../text/incident';
import { postmortem as text } from '../../text/postmortem';
import { CauseOf } from './CauseOf';
import { ChecklistPanel } from './ChecklistPanel';
import { Jobs } from './Jobs';
import { Lessons } from './Lessons';
import { markdownOf, postmortemQuery, type Postmortem } from './postmortem-query';
import classes from './PostmortemPage.module.css';
import { SignButton } from './SignButton';
import { Signature } from './Signature';
import { Times } from './Times';

export default function PostmortemPage() {
  const { id = '' } = useParams();
  const query = useQuery(postmortemQuery(id));
  const { data, error } = query;
  const missing = data === undefined && error instanceof Problem && error.status === 404;
  return (
    <Page
      title={text.title(visible(id))}
      lead={
        <span className={classes.lead}>
          <Anchor component={Link} to={pathTo.incident(id)} size="sm">
            {text.back}
          </Anchor>
          {data !== undefined && <Text span size="sm">{visible(data.summary)}</Text>}
        </span>
      }
      actions={
        data !== undefined && (
          <>
            <DownloadButton label={text.download} fileName={`postmortem-${data.incidentId}.md`} load={() => markdownOf(id)} />
            <SignButton postmortem={data} />
          </>
        )
      }
    >
      {missing ? (
        <Empty title={incidentText.none} text={incidentText.noneText}>
          <Button component={Link} to={pathTo.incidents()} size="xs" variant="default">
            {incidentText.all}
          </Button>
        </Empty>
      ) : (
        <QueryView query={query}>{(postmortem) => <View postmortem={postmortem} />}</QueryView>
      )}
    </Page>
  );
}

function View({ postmortem }: { readonly postmortem: Postmortem }) {
  return (
    <>
      <Signature postmortem={postmortem} />
      <Times postmortem={postmortem} />
      <div className={classes.columns}>
        {postmortem.checklists.map((checklist) => (
          <ChecklistPanel key={checklist.checklist} checklist={checklist} postmortem={postmortem} />
        ))}
      </div>
      <Lessons postmortem={postmortem} />
      <div className={classes.columns}>
        <CauseOf postmortem={postmortem} />
        <Jobs postmortem={postmortem} />
      </div>
      <Panel title={text.timeline.title} flush>
        <StepList label={text.timeline.label} steps={postmortem.timeline} />
      </Panel>
    </>
  );
}
