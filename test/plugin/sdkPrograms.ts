/** The same resources in each language: a rollout that the program writes, one that the stack's config has, and a split. */

export const PYTHON_PROGRAM = `
import pulumi
import pulumi_agent_platform as platform

support = platform.NumberAssignment(
    "support",
    number="+15551230001",
    rollout=platform.RolloutArgs(stable="agent_front@12", candidate="agent_front@13", percent=10),
    is_time_routing_enabled=True,
)
platform.NumberAssignment("night", number="+15551230004", rollout="front")
platform.NumberGroup(
    "sales",
    numbers=["+15551230002", "+15551230003"],
    inbound_agents={"agent_sales@4": 1},
)
pulumi.export("split", support.inbound_agents)
`;

/** `calls <plugin> <base URL> <rollouts> up destroy …`: its own language host, as every program of the Automation API. */
export const goProgram = (module: string): string => `
package main

import (
	"context"
	"fmt"
	"os"

	"${module}/agentplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func program(ctx *pulumi.Context) error {
	support, err := agentplatform.NewNumberAssignment(ctx, "support", &agentplatform.NumberAssignmentArgs{
		Number:        pulumi.String("+15551230001"),
		Rollout: &agentplatform.RolloutArgs{
			Stable:    pulumi.String("agent_front@12"),
			Candidate: pulumi.String("agent_front@13"),
			Percent:   pulumi.Float64(10),
		},
		IsTimeRoutingEnabled: pulumi.Bool(true),
	})
	if err != nil {
		return err
	}
	_, err = agentplatform.NewNumberAssignment(ctx, "night", &agentplatform.NumberAssignmentArgs{
		Number:  pulumi.String("+15551230004"),
		Rollout: pulumi.String("front"),
	})
	if err != nil {
		return err
	}
	_, err = agentplatform.NewNumberGroup(ctx, "sales", &agentplatform.NumberGroupArgs{
		Numbers:       pulumi.StringArray{pulumi.String("+15551230002"), pulumi.String("+15551230003")},
		InboundAgents: pulumi.Float64Map{"agent_sales@4": pulumi.Float64(1)},
	})
	ctx.Export("split", support.InboundAgents)
	return err
}

func main() {
	ctx := context.Background()
	project := workspace.Project{
		Name:    tokens.PackageName("calls"),
		Runtime: workspace.NewProjectRuntimeInfo("go", nil),
		Packages: map[string]workspace.PackageSpec{"agent-platform": {Source: os.Args[1]}},
	}
	stack, err := auto.UpsertStackInlineSource(ctx, "dev", "calls", program, auto.Project(project))
	fail(err)
	fail(stack.SetConfig(ctx, "agent-platform:baseUrl", auto.ConfigValue{Value: os.Args[2]}))
	fail(stack.SetConfig(ctx, "agent-platform:rollouts", auto.ConfigValue{Value: os.Args[3]}))
	for _, operation := range os.Args[4:] {
		if operation == "up" {
			up, err := stack.Up(ctx, optup.SuppressProgress())
			fail(err)
			fmt.Println(operation, *up.Summary.ResourceChanges)
		} else {
			destroyed, err := stack.Destroy(ctx)
			fail(err)
			fmt.Println(operation, *destroyed.Summary.ResourceChanges)
		}
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`;

export const JAVA_PROGRAM = `
package calls;

import com.pulumi.Pulumi;
import com.pulumi.agentplatform.NumberAssignment;
import com.pulumi.agentplatform.NumberAssignmentArgs;
import com.pulumi.agentplatform.NumberGroup;
import com.pulumi.agentplatform.NumberGroupArgs;
import com.pulumi.agentplatform.inputs.RolloutArgs;
import java.util.List;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            var support = new NumberAssignment("support", NumberAssignmentArgs.builder()
                .number("+15551230001")
                .rollout(RolloutArgs.builder().stable("agent_front@12").candidate("agent_front@13").percent(10.0).build())
                .isTimeRoutingEnabled(true)
                .build());
            new NumberAssignment("night", NumberAssignmentArgs.builder()
                .number("+15551230004")
                .rollout("front")
                .build());
            new NumberGroup("sales", NumberGroupArgs.builder()
                .numbers(List.of("+15551230002", "+15551230003"))
                .inboundAgents(Map.of("agent_sales@4", 1.0))
                .build());
            ctx.export("split", support.inboundAgents());
        });
    }
}
`;

/** What the generated SDK and its host ask of a project: the SDK's source is a part of it. */
export const JAVA_PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>calls</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>com.pulumi</groupId><artifactId>pulumi</artifactId><version>1.36.1</version></dependency>
    <dependency><groupId>com.google.code.findbugs</groupId><artifactId>jsr305</artifactId><version>3.0.2</version></dependency>
    <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.8.9</version></dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.codehaus.mojo</groupId>
    <artifactId>exec-maven-plugin</artifactId>
    <version>3.1.0</version>
    <configuration><mainClass>calls.App</mainClass></configuration>
  </plugin></plugins></build>
</project>
`;
