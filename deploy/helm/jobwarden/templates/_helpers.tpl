{{- define "jobwarden.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains "jobwarden" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-jobwarden" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "jobwarden.selector" -}}
app.kubernetes.io/name: jobwarden
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "jobwarden.labels" -}}
{{ include "jobwarden.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "jobwarden.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "jobwarden.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "jobwarden.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The component that answers HTTP, and what the Service selects. */}}
{{- define "jobwarden.front" -}}
{{- ternary "api" "all" .Values.roles.apart -}}
{{- end -}}

{{/* Does the chart bring the policy file itself? */}}
{{- define "jobwarden.ownPolicy" -}}
{{- if not (or .Values.policy.existingConfigMap .Values.policy.existingSecret) -}}yes{{- end -}}
{{- end -}}

{{- define "jobwarden.policyText" -}}
{{- if .Values.policy.text -}}
{{- .Values.policy.text -}}
{{- else -}}
{{- toYaml .Values.policy.settings -}}
{{- end -}}
{{- end -}}

{{/* What the service would refuse at its start is refused here, all of it at once. */}}
{{- define "jobwarden.faults" -}}
{{- with .Values -}}
{{- if not .image.repository }}
- image.repository: build the image from the Dockerfile of the repository, push it, and say where it is
{{- end }}
{{- if not .database.existingSecret }}
- database.existingSecret: name a Secret with the URL of a PostgreSQL; the embedded one is refused in production
{{- end }}
{{- $own := not (or .policy.existingConfigMap .policy.existingSecret) }}
{{- if and $own .policy.text .policy.settings }}
- policy: give text or settings, not both
{{- end }}
{{- if and $own (not .policy.text) (not .policy.settings.tokens) }}
- policy.settings.tokens: pods listen to others, which the service refuses without tokens
{{- end }}
{{- if and $own .policy.text (not (.policy.text | fromYaml).tokens) }}
- policy.text: has no tokens; pods listen to others, which the service refuses without
{{- end }}
{{- if and (not $own) (or .policy.text .policy.settings .policy.files) }}
- policy: give a ConfigMap or Secret of yours, or text, settings and files, not both
{{- end }}
{{- if and .policy.existingConfigMap .policy.existingSecret }}
- policy: give existingConfigMap or existingSecret, not both
{{- end }}
{{- if and .kafka.sasl.mechanism (not .kafka.sasl.existingSecret) }}
- kafka.sasl.existingSecret: name a Secret with name and password, or leave the mechanism out
{{- end }}
{{- if and .kafka.ssl.existingSecret (not .kafka.ssl.enabled) }}
- kafka.ssl.enabled: certificates mean nothing without TLS
{{- end }}
{{- if ne (empty .kafka.ssl.certKey) (empty .kafka.ssl.keyKey) }}
- kafka.ssl: certKey and keyKey go together
{{- end }}
{{- if and .metrics.serviceMonitor.enabled (not .metrics.serviceMonitor.tokenSecret) }}
- metrics.serviceMonitor.tokenSecret: name a Secret with a token of scope read; /metrics is not open
{{- end }}
{{- if and .ingress.enabled (not .ingress.hosts) }}
- ingress.hosts: name at least one
{{- end }}
{{- if lt (int .terminationGracePeriodSeconds) (add 42 (int .preStopSeconds)) }}
- terminationGracePeriodSeconds: at least preStopSeconds and 42 more, or what is under way is cut
{{- end }}
{{- if and (not .roles.apart) (or .api .work) }}
- roles.apart: api and work mean nothing without it
{{- end }}
{{- end }}
{{- end -}}

{{- define "jobwarden.check" -}}
{{- $faults := include "jobwarden.faults" . | trim -}}
{{- if $faults -}}
{{- fail (printf "\n\nNothing was made:\n\n%s\n" $faults) -}}
{{- end -}}
{{- end -}}
