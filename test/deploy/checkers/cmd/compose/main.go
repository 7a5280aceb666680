// Reads a compose file as `docker compose config` does, by the same loader: .env beside it, the environment, merges, profiles, every
// reference to a network, volume or secret. The project as JSON on standard output; what is wrong with it, and 1.
//
//	compose FOLDER [PROFILE]...
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, profiles []string) error {
	options, err := cli.NewProjectOptions(nil,
		cli.WithWorkingDirectory(folder), cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv,
		cli.WithConfigFileEnv, cli.WithDefaultConfigPath, cli.WithDefaultProfiles(profiles...))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	json, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(json)
	return err
}
