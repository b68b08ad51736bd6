package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// host is what `pulumi package add` asks of a language: nothing else of Pulumi's own host is needed to write an SDK.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	generate generator
}

func (h *host) Handshake(
	context.Context, *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "3.255.0"}, nil
}

func (h *host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	return &pulumirpc.GeneratePackageResponse{}, writeSDK(request.Directory, h.generate, []byte(request.Schema))
}

// InstallDependencies has nothing to install: the test installs what its program needs.
func (h *host) InstallDependencies(
	*pulumirpc.InstallDependenciesRequest, grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse],
) error {
	return nil
}

// Link leaves the project as it is: what Pulumi's own hosts write into it is theirs to test. It says where the SDK is.
func (h *host) Link(_ context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	paths := make([]string, 0, len(request.Packages))
	for _, dependency := range request.Packages {
		paths = append(paths, dependency.Path)
	}
	text, err := json.Marshal(paths)
	return &pulumirpc.LinkResponse{ImportInstructions: string(text)}, err
}

// serve runs until the CLI ends this process.
func serve(generate generator) {
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, &host{generate: generate})
			return nil
		},
	})
	fail(err)
	fmt.Fprintln(os.Stdout, handle.Port)
	fail(<-handle.Done)
}
