// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "wrap/call.hpp"

#include "generated/wrappers.hpp"

namespace fairlead::wrapped {

int MPIX_Comm_agree(MPI_Comm comm, int* flag) {
    Call call(Function::MPIX_Comm_agree);
    return call.timed(next<decltype(MPIX_Comm_agree)>(Function::MPIX_Comm_agree)(comm, flag));
}

int MPI_Add_error_class(int* errorclass) {
    Call call(Function::MPI_Add_error_class);
    return call.timed(next<decltype(MPI_Add_error_class)>(Function::MPI_Add_error_class)(errorclass));
}

int MPI_Add_error_code(int errorclass, int* errorcode) {
    Call call(Function::MPI_Add_error_code);
    return call.timed(next<decltype(MPI_Add_error_code)>(Function::MPI_Add_error_code)(errorclass, errorcode));
}

int MPI_Add_error_string(int errorcode, const char* string) {
    Call call(Function::MPI_Add_error_string);
    return call.timed(next<decltype(MPI_Add_error_string)>(Function::MPI_Add_error_string)(errorcode, string));
}

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
    LocalCall call(Function::MPI_Aint_add);
    return call.timed(next<decltype(MPI_Aint_add)>(Function::MPI_Aint_add)(base, disp));
}

MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
    LocalCall call(Function::MPI_Aint_diff);
    return call.timed(next<decltype(MPI_Aint_diff)>(Function::MPI_Aint_diff)(addr1, addr2));
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
    Call call(Function::MPI_Alloc_mem);
    return call.timed(next<decltype(MPI_Alloc_mem)>(Function::MPI_Alloc_mem)(size, info, baseptr));
}

int MPI_Attr_delete(MPI_Comm comm, int keyval) {
    Call call(Function::MPI_Attr_delete);
    return call.timed(next<decltype(MPI_Attr_delete)>(Function::MPI_Attr_delete)(comm, keyval));
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
    LocalCall call(Function::MPI_Attr_get);
    return call.timed(next<decltype(MPI_Attr_get)>(Function::MPI_Attr_get)(comm, keyval, attribute_val, flag));
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
    Call call(Function::MPI_Attr_put);
    return call.timed(next<decltype(MPI_Attr_put)>(Function::MPI_Attr_put)(comm, keyval, attribute_val));
}

int MPI_Buffer_attach(void* buffer, int size) {
    Call call(Function::MPI_Buffer_attach);
    return call.timed(next<decltype(MPI_Buffer_attach)>(Function::MPI_Buffer_attach)(buffer, size));
}

int MPI_Buffer_attach_c(void* buffer, MPI_Count size) {
    Call call(Function::MPI_Buffer_attach_c);
    return call.timed(next<decltype(MPI_Buffer_attach_c)>(Function::MPI_Buffer_attach_c)(buffer, size));
}

int MPI_Buffer_detach(void* buffer_addr, int* size) {
    Call call(Function::MPI_Buffer_detach);
    return call.timed(next<decltype(MPI_Buffer_detach)>(Function::MPI_Buffer_detach)(buffer_addr, size));
}

int MPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
    Call call(Function::MPI_Buffer_detach_c);
    return call.timed(next<decltype(MPI_Buffer_detach_c)>(Function::MPI_Buffer_detach_c)(buffer_addr, size));
}

int MPI_Buffer_flush() {
    Call call(Function::MPI_Buffer_flush);
    return call.timed(next<decltype(MPI_Buffer_flush)>(Function::MPI_Buffer_flush)());
}

int MPI_Buffer_iflush(MPI_Request* request) {
    Call call(Function::MPI_Buffer_iflush);
    return call.timed(next<decltype(MPI_Buffer_iflush)>(Function::MPI_Buffer_iflush)(request));
}

int MPI_Cancel(MPI_Request* request) {
    Call call(Function::MPI_Cancel);
    return call.timed(next<decltype(MPI_Cancel)>(Function::MPI_Cancel)(request));
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
    LocalCall call(Function::MPI_Cart_coords);
    return call.timed(next<decltype(MPI_Cart_coords)>(Function::MPI_Cart_coords)(comm, rank, maxdims, coords));
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
    LocalCall call(Function::MPI_Cart_get);
    return call.timed(next<decltype(MPI_Cart_get)>(Function::MPI_Cart_get)(comm, maxdims, dims, periods, coords));
}

int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
    Call call(Function::MPI_Cart_map);
    return call.timed(next<decltype(MPI_Cart_map)>(Function::MPI_Cart_map)(comm, ndims, dims, periods, newrank));
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
    LocalCall call(Function::MPI_Cart_rank);
    return call.timed(next<decltype(MPI_Cart_rank)>(Function::MPI_Cart_rank)(comm, coords, rank));
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
    LocalCall call(Function::MPI_Cart_shift);
    return call.timed(next<decltype(MPI_Cart_shift)>(Function::MPI_Cart_shift)(comm, direction, disp, rank_source, rank_dest));
}

int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
    LocalCall call(Function::MPI_Cartdim_get);
    return call.timed(next<decltype(MPI_Cartdim_get)>(Function::MPI_Cartdim_get)(comm, ndims));
}

int MPI_Close_port(const char* port_name) {
    Call call(Function::MPI_Close_port);
    return call.timed(next<decltype(MPI_Close_port)>(Function::MPI_Close_port)(port_name));
}

int MPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
    Call call(Function::MPI_Comm_attach_buffer);
    return call.timed(next<decltype(MPI_Comm_attach_buffer)>(Function::MPI_Comm_attach_buffer)(comm, buffer, size));
}

int MPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
    Call call(Function::MPI_Comm_attach_buffer_c);
    return call.timed(next<decltype(MPI_Comm_attach_buffer_c)>(Function::MPI_Comm_attach_buffer_c)(comm, buffer, size));
}

MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
    LocalCall call(Function::MPI_Comm_c2f);
    return call.timed(next<decltype(MPI_Comm_c2f)>(Function::MPI_Comm_c2f)(comm));
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
    Call call(Function::MPI_Comm_call_errhandler);
    return call.timed(next<decltype(MPI_Comm_call_errhandler)>(Function::MPI_Comm_call_errhandler)(comm, errorcode));
}

int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
    LocalCall call(Function::MPI_Comm_compare);
    return call.timed(next<decltype(MPI_Comm_compare)>(Function::MPI_Comm_compare)(comm1, comm2, result));
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_Comm_create_errhandler);
    return call.timed(next<decltype(MPI_Comm_create_errhandler)>(Function::MPI_Comm_create_errhandler)(comm_errhandler_fn, errhandler));
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn, MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
    Call call(Function::MPI_Comm_create_keyval);
    return call.timed(next<decltype(MPI_Comm_create_keyval)>(Function::MPI_Comm_create_keyval)(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state));
}

int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
    Call call(Function::MPI_Comm_delete_attr);
    return call.timed(next<decltype(MPI_Comm_delete_attr)>(Function::MPI_Comm_delete_attr)(comm, comm_keyval));
}

int MPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
    Call call(Function::MPI_Comm_detach_buffer);
    return call.timed(next<decltype(MPI_Comm_detach_buffer)>(Function::MPI_Comm_detach_buffer)(comm, buffer_addr, size));
}

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
    Call call(Function::MPI_Comm_detach_buffer_c);
    return call.timed(next<decltype(MPI_Comm_detach_buffer_c)>(Function::MPI_Comm_detach_buffer_c)(comm, buffer_addr, size));
}

MPI_Comm MPI_Comm_f2c(MPI_Fint comm) {
    LocalCall call(Function::MPI_Comm_f2c);
    return call.timed(next<decltype(MPI_Comm_f2c)>(Function::MPI_Comm_f2c)(comm));
}

int MPI_Comm_flush_buffer(MPI_Comm comm) {
    Call call(Function::MPI_Comm_flush_buffer);
    return call.timed(next<decltype(MPI_Comm_flush_buffer)>(Function::MPI_Comm_flush_buffer)(comm));
}

int MPI_Comm_free_keyval(int* comm_keyval) {
    Call call(Function::MPI_Comm_free_keyval);
    return call.timed(next<decltype(MPI_Comm_free_keyval)>(Function::MPI_Comm_free_keyval)(comm_keyval));
}

int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
    LocalCall call(Function::MPI_Comm_get_attr);
    return call.timed(next<decltype(MPI_Comm_get_attr)>(Function::MPI_Comm_get_attr)(comm, comm_keyval, attribute_val, flag));
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
    LocalCall call(Function::MPI_Comm_get_errhandler);
    return call.timed(next<decltype(MPI_Comm_get_errhandler)>(Function::MPI_Comm_get_errhandler)(comm, errhandler));
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
    LocalCall call(Function::MPI_Comm_get_info);
    return call.timed(next<decltype(MPI_Comm_get_info)>(Function::MPI_Comm_get_info)(comm, info_used));
}

int MPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
    LocalCall call(Function::MPI_Comm_get_name);
    return call.timed(next<decltype(MPI_Comm_get_name)>(Function::MPI_Comm_get_name)(comm, comm_name, resultlen));
}

int MPI_Comm_get_parent(MPI_Comm* parent) {
    LocalCall call(Function::MPI_Comm_get_parent);
    return call.timed(next<decltype(MPI_Comm_get_parent)>(Function::MPI_Comm_get_parent)(parent));
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    Call call(Function::MPI_Comm_group);
    return call.timed(next<decltype(MPI_Comm_group)>(Function::MPI_Comm_group)(comm, group));
}

int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Comm_iflush_buffer);
    return call.timed(next<decltype(MPI_Comm_iflush_buffer)>(Function::MPI_Comm_iflush_buffer)(comm, request));
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    LocalCall call(Function::MPI_Comm_rank);
    return call.timed(next<decltype(MPI_Comm_rank)>(Function::MPI_Comm_rank)(comm, rank));
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
    Call call(Function::MPI_Comm_remote_group);
    return call.timed(next<decltype(MPI_Comm_remote_group)>(Function::MPI_Comm_remote_group)(comm, group));
}

int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
    LocalCall call(Function::MPI_Comm_remote_size);
    return call.timed(next<decltype(MPI_Comm_remote_size)>(Function::MPI_Comm_remote_size)(comm, size));
}

int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
    Call call(Function::MPI_Comm_set_attr);
    return call.timed(next<decltype(MPI_Comm_set_attr)>(Function::MPI_Comm_set_attr)(comm, comm_keyval, attribute_val));
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
    Call call(Function::MPI_Comm_set_errhandler);
    return call.timed(next<decltype(MPI_Comm_set_errhandler)>(Function::MPI_Comm_set_errhandler)(comm, errhandler));
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
    Call call(Function::MPI_Comm_set_info);
    return call.timed(next<decltype(MPI_Comm_set_info)>(Function::MPI_Comm_set_info)(comm, info));
}

int MPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
    Call call(Function::MPI_Comm_set_name);
    return call.timed(next<decltype(MPI_Comm_set_name)>(Function::MPI_Comm_set_name)(comm, comm_name));
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    LocalCall call(Function::MPI_Comm_size);
    return call.timed(next<decltype(MPI_Comm_size)>(Function::MPI_Comm_size)(comm, size));
}

int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
    LocalCall call(Function::MPI_Comm_test_inter);
    return call.timed(next<decltype(MPI_Comm_test_inter)>(Function::MPI_Comm_test_inter)(comm, flag));
}

int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
    Call call(Function::MPI_Dims_create);
    return call.timed(next<decltype(MPI_Dims_create)>(Function::MPI_Dims_create)(nnodes, ndims, dims));
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) {
    LocalCall call(Function::MPI_Dist_graph_neighbors);
    return call.timed(next<decltype(MPI_Dist_graph_neighbors)>(Function::MPI_Dist_graph_neighbors)(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights));
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
    LocalCall call(Function::MPI_Dist_graph_neighbors_count);
    return call.timed(next<decltype(MPI_Dist_graph_neighbors_count)>(Function::MPI_Dist_graph_neighbors_count)(comm, indegree, outdegree, weighted));
}

MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler) {
    LocalCall call(Function::MPI_Errhandler_c2f);
    return call.timed(next<decltype(MPI_Errhandler_c2f)>(Function::MPI_Errhandler_c2f)(errhandler));
}

MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler) {
    LocalCall call(Function::MPI_Errhandler_f2c);
    return call.timed(next<decltype(MPI_Errhandler_f2c)>(Function::MPI_Errhandler_f2c)(errhandler));
}

int MPI_Errhandler_free(MPI_Errhandler* errhandler) {
    Call call(Function::MPI_Errhandler_free);
    return call.timed(next<decltype(MPI_Errhandler_free)>(Function::MPI_Errhandler_free)(errhandler));
}

int MPI_Error_class(int errorcode, int* errorclass) {
    LocalCall call(Function::MPI_Error_class);
    return call.timed(next<decltype(MPI_Error_class)>(Function::MPI_Error_class)(errorcode, errorclass));
}

int MPI_Error_string(int errorcode, char* string, int* resultlen) {
    LocalCall call(Function::MPI_Error_string);
    return call.timed(next<decltype(MPI_Error_string)>(Function::MPI_Error_string)(errorcode, string, resultlen));
}

MPI_Fint MPI_File_c2f(MPI_File file) {
    LocalCall call(Function::MPI_File_c2f);
    return call.timed(next<decltype(MPI_File_c2f)>(Function::MPI_File_c2f)(file));
}

int MPI_File_call_errhandler(MPI_File fh, int errorcode) {
    Call call(Function::MPI_File_call_errhandler);
    return call.timed(next<decltype(MPI_File_call_errhandler)>(Function::MPI_File_call_errhandler)(fh, errorcode));
}

int MPI_File_close(MPI_File* fh) {
    Call call(Function::MPI_File_close);
    return call.timed(next<decltype(MPI_File_close)>(Function::MPI_File_close)(fh));
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_File_create_errhandler);
    return call.timed(next<decltype(MPI_File_create_errhandler)>(Function::MPI_File_create_errhandler)(file_errhandler_fn, errhandler));
}

int MPI_File_delete(const char* filename, MPI_Info info) {
    Call call(Function::MPI_File_delete);
    return call.timed(next<decltype(MPI_File_delete)>(Function::MPI_File_delete)(filename, info));
}

MPI_File MPI_File_f2c(MPI_Fint file) {
    LocalCall call(Function::MPI_File_f2c);
    return call.timed(next<decltype(MPI_File_f2c)>(Function::MPI_File_f2c)(file));
}

int MPI_File_get_amode(MPI_File fh, int* amode) {
    Call call(Function::MPI_File_get_amode);
    return call.timed(next<decltype(MPI_File_get_amode)>(Function::MPI_File_get_amode)(fh, amode));
}

int MPI_File_get_atomicity(MPI_File fh, int* flag) {
    Call call(Function::MPI_File_get_atomicity);
    return call.timed(next<decltype(MPI_File_get_atomicity)>(Function::MPI_File_get_atomicity)(fh, flag));
}

int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
    Call call(Function::MPI_File_get_byte_offset);
    return call.timed(next<decltype(MPI_File_get_byte_offset)>(Function::MPI_File_get_byte_offset)(fh, offset, disp));
}

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_File_get_errhandler);
    return call.timed(next<decltype(MPI_File_get_errhandler)>(Function::MPI_File_get_errhandler)(file, errhandler));
}

int MPI_File_get_group(MPI_File fh, MPI_Group* group) {
    Call call(Function::MPI_File_get_group);
    return call.timed(next<decltype(MPI_File_get_group)>(Function::MPI_File_get_group)(fh, group));
}

int MPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
    Call call(Function::MPI_File_get_info);
    return call.timed(next<decltype(MPI_File_get_info)>(Function::MPI_File_get_info)(fh, info_used));
}

int MPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
    Call call(Function::MPI_File_get_position);
    return call.timed(next<decltype(MPI_File_get_position)>(Function::MPI_File_get_position)(fh, offset));
}

int MPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
    Call call(Function::MPI_File_get_position_shared);
    return call.timed(next<decltype(MPI_File_get_position_shared)>(Function::MPI_File_get_position_shared)(fh, offset));
}

int MPI_File_get_size(MPI_File fh, MPI_Offset* size) {
    Call call(Function::MPI_File_get_size);
    return call.timed(next<decltype(MPI_File_get_size)>(Function::MPI_File_get_size)(fh, size));
}

int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
    Call call(Function::MPI_File_get_type_extent);
    return call.timed(next<decltype(MPI_File_get_type_extent)>(Function::MPI_File_get_type_extent)(fh, datatype, extent));
}

int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
    Call call(Function::MPI_File_get_type_extent_c);
    return call.timed(next<decltype(MPI_File_get_type_extent_c)>(Function::MPI_File_get_type_extent_c)(fh, datatype, extent));
}

int MPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
    Call call(Function::MPI_File_get_view);
    return call.timed(next<decltype(MPI_File_get_view)>(Function::MPI_File_get_view)(fh, disp, etype, filetype, datarep));
}

int MPI_File_iread(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread);
    return call.timed(next<decltype(MPI_File_iread)>(Function::MPI_File_iread)(fh, buf, count, datatype, request));
}

int MPI_File_iread_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_all);
    return call.timed(next<decltype(MPI_File_iread_all)>(Function::MPI_File_iread_all)(fh, buf, count, datatype, request));
}

int MPI_File_iread_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_all_c);
    return call.timed(next<decltype(MPI_File_iread_all_c)>(Function::MPI_File_iread_all_c)(fh, buf, count, datatype, request));
}

int MPI_File_iread_at(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_at);
    return call.timed(next<decltype(MPI_File_iread_at)>(Function::MPI_File_iread_at)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_at_all);
    return call.timed(next<decltype(MPI_File_iread_at_all)>(Function::MPI_File_iread_at_all)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_at_all_c);
    return call.timed(next<decltype(MPI_File_iread_at_all_c)>(Function::MPI_File_iread_at_all_c)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_at_c);
    return call.timed(next<decltype(MPI_File_iread_at_c)>(Function::MPI_File_iread_at_c)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iread_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_c);
    return call.timed(next<decltype(MPI_File_iread_c)>(Function::MPI_File_iread_c)(fh, buf, count, datatype, request));
}

int MPI_File_iread_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_shared);
    return call.timed(next<decltype(MPI_File_iread_shared)>(Function::MPI_File_iread_shared)(fh, buf, count, datatype, request));
}

int MPI_File_iread_shared_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iread_shared_c);
    return call.timed(next<decltype(MPI_File_iread_shared_c)>(Function::MPI_File_iread_shared_c)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite);
    return call.timed(next<decltype(MPI_File_iwrite)>(Function::MPI_File_iwrite)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_all);
    return call.timed(next<decltype(MPI_File_iwrite_all)>(Function::MPI_File_iwrite_all)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_all_c);
    return call.timed(next<decltype(MPI_File_iwrite_all_c)>(Function::MPI_File_iwrite_all_c)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_at);
    return call.timed(next<decltype(MPI_File_iwrite_at)>(Function::MPI_File_iwrite_at)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_at_all);
    return call.timed(next<decltype(MPI_File_iwrite_at_all)>(Function::MPI_File_iwrite_at_all)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_at_all_c);
    return call.timed(next<decltype(MPI_File_iwrite_at_all_c)>(Function::MPI_File_iwrite_at_all_c)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_at_c);
    return call.timed(next<decltype(MPI_File_iwrite_at_c)>(Function::MPI_File_iwrite_at_c)(fh, offset, buf, count, datatype, request));
}

int MPI_File_iwrite_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_c);
    return call.timed(next<decltype(MPI_File_iwrite_c)>(Function::MPI_File_iwrite_c)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite_shared(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_shared);
    return call.timed(next<decltype(MPI_File_iwrite_shared)>(Function::MPI_File_iwrite_shared)(fh, buf, count, datatype, request));
}

int MPI_File_iwrite_shared_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
    Call call(Function::MPI_File_iwrite_shared_c);
    return call.timed(next<decltype(MPI_File_iwrite_shared_c)>(Function::MPI_File_iwrite_shared_c)(fh, buf, count, datatype, request));
}

int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
    Call call(Function::MPI_File_open);
    return call.timed(next<decltype(MPI_File_open)>(Function::MPI_File_open)(comm, filename, amode, info, fh));
}

int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
    Call call(Function::MPI_File_preallocate);
    return call.timed(next<decltype(MPI_File_preallocate)>(Function::MPI_File_preallocate)(fh, size));
}

int MPI_File_read(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read);
    return call.timed(next<decltype(MPI_File_read)>(Function::MPI_File_read)(fh, buf, count, datatype, status));
}

int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_all);
    return call.timed(next<decltype(MPI_File_read_all)>(Function::MPI_File_read_all)(fh, buf, count, datatype, status));
}

int MPI_File_read_all_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_all_begin);
    return call.timed(next<decltype(MPI_File_read_all_begin)>(Function::MPI_File_read_all_begin)(fh, buf, count, datatype));
}

int MPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_all_begin_c);
    return call.timed(next<decltype(MPI_File_read_all_begin_c)>(Function::MPI_File_read_all_begin_c)(fh, buf, count, datatype));
}

int MPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_all_c);
    return call.timed(next<decltype(MPI_File_read_all_c)>(Function::MPI_File_read_all_c)(fh, buf, count, datatype, status));
}

int MPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_read_all_end);
    return call.timed(next<decltype(MPI_File_read_all_end)>(Function::MPI_File_read_all_end)(fh, buf, status));
}

int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_at);
    return call.timed(next<decltype(MPI_File_read_at)>(Function::MPI_File_read_at)(fh, offset, buf, count, datatype, status));
}

int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_at_all);
    return call.timed(next<decltype(MPI_File_read_at_all)>(Function::MPI_File_read_at_all)(fh, offset, buf, count, datatype, status));
}

int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_at_all_begin);
    return call.timed(next<decltype(MPI_File_read_at_all_begin)>(Function::MPI_File_read_at_all_begin)(fh, offset, buf, count, datatype));
}

int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_at_all_begin_c);
    return call.timed(next<decltype(MPI_File_read_at_all_begin_c)>(Function::MPI_File_read_at_all_begin_c)(fh, offset, buf, count, datatype));
}

int MPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_at_all_c);
    return call.timed(next<decltype(MPI_File_read_at_all_c)>(Function::MPI_File_read_at_all_c)(fh, offset, buf, count, datatype, status));
}

int MPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_read_at_all_end);
    return call.timed(next<decltype(MPI_File_read_at_all_end)>(Function::MPI_File_read_at_all_end)(fh, buf, status));
}

int MPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_at_c);
    return call.timed(next<decltype(MPI_File_read_at_c)>(Function::MPI_File_read_at_c)(fh, offset, buf, count, datatype, status));
}

int MPI_File_read_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_c);
    return call.timed(next<decltype(MPI_File_read_c)>(Function::MPI_File_read_c)(fh, buf, count, datatype, status));
}

int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_ordered);
    return call.timed(next<decltype(MPI_File_read_ordered)>(Function::MPI_File_read_ordered)(fh, buf, count, datatype, status));
}

int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_ordered_begin);
    return call.timed(next<decltype(MPI_File_read_ordered_begin)>(Function::MPI_File_read_ordered_begin)(fh, buf, count, datatype));
}

int MPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_read_ordered_begin_c);
    return call.timed(next<decltype(MPI_File_read_ordered_begin_c)>(Function::MPI_File_read_ordered_begin_c)(fh, buf, count, datatype));
}

int MPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_ordered_c);
    return call.timed(next<decltype(MPI_File_read_ordered_c)>(Function::MPI_File_read_ordered_c)(fh, buf, count, datatype, status));
}

int MPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_read_ordered_end);
    return call.timed(next<decltype(MPI_File_read_ordered_end)>(Function::MPI_File_read_ordered_end)(fh, buf, status));
}

int MPI_File_read_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_shared);
    return call.timed(next<decltype(MPI_File_read_shared)>(Function::MPI_File_read_shared)(fh, buf, count, datatype, status));
}

int MPI_File_read_shared_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_read_shared_c);
    return call.timed(next<decltype(MPI_File_read_shared_c)>(Function::MPI_File_read_shared_c)(fh, buf, count, datatype, status));
}

int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
    Call call(Function::MPI_File_seek);
    return call.timed(next<decltype(MPI_File_seek)>(Function::MPI_File_seek)(fh, offset, whence));
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
    Call call(Function::MPI_File_seek_shared);
    return call.timed(next<decltype(MPI_File_seek_shared)>(Function::MPI_File_seek_shared)(fh, offset, whence));
}

int MPI_File_set_atomicity(MPI_File fh, int flag) {
    Call call(Function::MPI_File_set_atomicity);
    return call.timed(next<decltype(MPI_File_set_atomicity)>(Function::MPI_File_set_atomicity)(fh, flag));
}

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
    Call call(Function::MPI_File_set_errhandler);
    return call.timed(next<decltype(MPI_File_set_errhandler)>(Function::MPI_File_set_errhandler)(file, errhandler));
}

int MPI_File_set_info(MPI_File fh, MPI_Info info) {
    Call call(Function::MPI_File_set_info);
    return call.timed(next<decltype(MPI_File_set_info)>(Function::MPI_File_set_info)(fh, info));
}

int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
    Call call(Function::MPI_File_set_size);
    return call.timed(next<decltype(MPI_File_set_size)>(Function::MPI_File_set_size)(fh, size));
}

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep, MPI_Info info) {
    Call call(Function::MPI_File_set_view);
    return call.timed(next<decltype(MPI_File_set_view)>(Function::MPI_File_set_view)(fh, disp, etype, filetype, datarep, info));
}

int MPI_File_sync(MPI_File fh) {
    Call call(Function::MPI_File_sync);
    return call.timed(next<decltype(MPI_File_sync)>(Function::MPI_File_sync)(fh));
}

int MPI_File_write(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write);
    return call.timed(next<decltype(MPI_File_write)>(Function::MPI_File_write)(fh, buf, count, datatype, status));
}

int MPI_File_write_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_all);
    return call.timed(next<decltype(MPI_File_write_all)>(Function::MPI_File_write_all)(fh, buf, count, datatype, status));
}

int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_all_begin);
    return call.timed(next<decltype(MPI_File_write_all_begin)>(Function::MPI_File_write_all_begin)(fh, buf, count, datatype));
}

int MPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_all_begin_c);
    return call.timed(next<decltype(MPI_File_write_all_begin_c)>(Function::MPI_File_write_all_begin_c)(fh, buf, count, datatype));
}

int MPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_all_c);
    return call.timed(next<decltype(MPI_File_write_all_c)>(Function::MPI_File_write_all_c)(fh, buf, count, datatype, status));
}

int MPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_write_all_end);
    return call.timed(next<decltype(MPI_File_write_all_end)>(Function::MPI_File_write_all_end)(fh, buf, status));
}

int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_at);
    return call.timed(next<decltype(MPI_File_write_at)>(Function::MPI_File_write_at)(fh, offset, buf, count, datatype, status));
}

int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_at_all);
    return call.timed(next<decltype(MPI_File_write_at_all)>(Function::MPI_File_write_at_all)(fh, offset, buf, count, datatype, status));
}

int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_at_all_begin);
    return call.timed(next<decltype(MPI_File_write_at_all_begin)>(Function::MPI_File_write_at_all_begin)(fh, offset, buf, count, datatype));
}

int MPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_at_all_begin_c);
    return call.timed(next<decltype(MPI_File_write_at_all_begin_c)>(Function::MPI_File_write_at_all_begin_c)(fh, offset, buf, count, datatype));
}

int MPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_at_all_c);
    return call.timed(next<decltype(MPI_File_write_at_all_c)>(Function::MPI_File_write_at_all_c)(fh, offset, buf, count, datatype, status));
}

int MPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_write_at_all_end);
    return call.timed(next<decltype(MPI_File_write_at_all_end)>(Function::MPI_File_write_at_all_end)(fh, buf, status));
}

int MPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_at_c);
    return call.timed(next<decltype(MPI_File_write_at_c)>(Function::MPI_File_write_at_c)(fh, offset, buf, count, datatype, status));
}

int MPI_File_write_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_c);
    return call.timed(next<decltype(MPI_File_write_c)>(Function::MPI_File_write_c)(fh, buf, count, datatype, status));
}

int MPI_File_write_ordered(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_ordered);
    return call.timed(next<decltype(MPI_File_write_ordered)>(Function::MPI_File_write_ordered)(fh, buf, count, datatype, status));
}

int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_ordered_begin);
    return call.timed(next<decltype(MPI_File_write_ordered_begin)>(Function::MPI_File_write_ordered_begin)(fh, buf, count, datatype));
}

int MPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
    Call call(Function::MPI_File_write_ordered_begin_c);
    return call.timed(next<decltype(MPI_File_write_ordered_begin_c)>(Function::MPI_File_write_ordered_begin_c)(fh, buf, count, datatype));
}

int MPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_ordered_c);
    return call.timed(next<decltype(MPI_File_write_ordered_c)>(Function::MPI_File_write_ordered_c)(fh, buf, count, datatype, status));
}

int MPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
    Call call(Function::MPI_File_write_ordered_end);
    return call.timed(next<decltype(MPI_File_write_ordered_end)>(Function::MPI_File_write_ordered_end)(fh, buf, status));
}

int MPI_File_write_shared(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_shared);
    return call.timed(next<decltype(MPI_File_write_shared)>(Function::MPI_File_write_shared)(fh, buf, count, datatype, status));
}

int MPI_File_write_shared_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
    Call call(Function::MPI_File_write_shared_c);
    return call.timed(next<decltype(MPI_File_write_shared_c)>(Function::MPI_File_write_shared_c)(fh, buf, count, datatype, status));
}

int MPI_Finalized(int* flag) {
    LocalCall call(Function::MPI_Finalized);
    return call.timed(next<decltype(MPI_Finalized)>(Function::MPI_Finalized)(flag));
}

int MPI_Free_mem(void* base) {
    Call call(Function::MPI_Free_mem);
    return call.timed(next<decltype(MPI_Free_mem)>(Function::MPI_Free_mem)(base));
}

int MPI_Get_address(const void* location, MPI_Aint* address) {
    LocalCall call(Function::MPI_Get_address);
    return call.timed(next<decltype(MPI_Get_address)>(Function::MPI_Get_address)(location, address));
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
    LocalCall call(Function::MPI_Get_count);
    return call.timed(next<decltype(MPI_Get_count)>(Function::MPI_Get_count)(status, datatype, count));
}

int MPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    LocalCall call(Function::MPI_Get_count_c);
    return call.timed(next<decltype(MPI_Get_count_c)>(Function::MPI_Get_count_c)(status, datatype, count));
}

int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
    LocalCall call(Function::MPI_Get_elements);
    return call.timed(next<decltype(MPI_Get_elements)>(Function::MPI_Get_elements)(status, datatype, count));
}

int MPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    LocalCall call(Function::MPI_Get_elements_c);
    return call.timed(next<decltype(MPI_Get_elements_c)>(Function::MPI_Get_elements_c)(status, datatype, count));
}

int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    LocalCall call(Function::MPI_Get_elements_x);
    return call.timed(next<decltype(MPI_Get_elements_x)>(Function::MPI_Get_elements_x)(status, datatype, count));
}

int MPI_Get_hw_resource_info(MPI_Info* hw_info) {
    Call call(Function::MPI_Get_hw_resource_info);
    return call.timed(next<decltype(MPI_Get_hw_resource_info)>(Function::MPI_Get_hw_resource_info)(hw_info));
}

int MPI_Get_library_version(char* version, int* resultlen) {
    LocalCall call(Function::MPI_Get_library_version);
    return call.timed(next<decltype(MPI_Get_library_version)>(Function::MPI_Get_library_version)(version, resultlen));
}

int MPI_Get_processor_name(char* name, int* resultlen) {
    LocalCall call(Function::MPI_Get_processor_name);
    return call.timed(next<decltype(MPI_Get_processor_name)>(Function::MPI_Get_processor_name)(name, resultlen));
}

int MPI_Get_version(int* version, int* subversion) {
    LocalCall call(Function::MPI_Get_version);
    return call.timed(next<decltype(MPI_Get_version)>(Function::MPI_Get_version)(version, subversion));
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
    LocalCall call(Function::MPI_Graph_get);
    return call.timed(next<decltype(MPI_Graph_get)>(Function::MPI_Graph_get)(comm, maxindex, maxedges, index, edges));
}

int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
    Call call(Function::MPI_Graph_map);
    return call.timed(next<decltype(MPI_Graph_map)>(Function::MPI_Graph_map)(comm, nnodes, index, edges, newrank));
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
    LocalCall call(Function::MPI_Graph_neighbors);
    return call.timed(next<decltype(MPI_Graph_neighbors)>(Function::MPI_Graph_neighbors)(comm, rank, maxneighbors, neighbors));
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
    LocalCall call(Function::MPI_Graph_neighbors_count);
    return call.timed(next<decltype(MPI_Graph_neighbors_count)>(Function::MPI_Graph_neighbors_count)(comm, rank, nneighbors));
}

int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
    LocalCall call(Function::MPI_Graphdims_get);
    return call.timed(next<decltype(MPI_Graphdims_get)>(Function::MPI_Graphdims_get)(comm, nnodes, nedges));
}

int MPI_Grequest_complete(MPI_Request request) {
    Call call(Function::MPI_Grequest_complete);
    return call.timed(next<decltype(MPI_Grequest_complete)>(Function::MPI_Grequest_complete)(request));
}

int MPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
    Call call(Function::MPI_Grequest_start);
    return call.timed(next<decltype(MPI_Grequest_start)>(Function::MPI_Grequest_start)(query_fn, free_fn, cancel_fn, extra_state, request));
}

MPI_Fint MPI_Group_c2f(MPI_Group group) {
    LocalCall call(Function::MPI_Group_c2f);
    return call.timed(next<decltype(MPI_Group_c2f)>(Function::MPI_Group_c2f)(group));
}

int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
    LocalCall call(Function::MPI_Group_compare);
    return call.timed(next<decltype(MPI_Group_compare)>(Function::MPI_Group_compare)(group1, group2, result));
}

int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    Call call(Function::MPI_Group_difference);
    return call.timed(next<decltype(MPI_Group_difference)>(Function::MPI_Group_difference)(group1, group2, newgroup));
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
    Call call(Function::MPI_Group_excl);
    return call.timed(next<decltype(MPI_Group_excl)>(Function::MPI_Group_excl)(group, n, ranks, newgroup));
}

MPI_Group MPI_Group_f2c(MPI_Fint group) {
    LocalCall call(Function::MPI_Group_f2c);
    return call.timed(next<decltype(MPI_Group_f2c)>(Function::MPI_Group_f2c)(group));
}

int MPI_Group_free(MPI_Group* group) {
    Call call(Function::MPI_Group_free);
    return call.timed(next<decltype(MPI_Group_free)>(Function::MPI_Group_free)(group));
}

int MPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
    Call call(Function::MPI_Group_from_session_pset);
    return call.timed(next<decltype(MPI_Group_from_session_pset)>(Function::MPI_Group_from_session_pset)(session, pset_name, newgroup));
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
    Call call(Function::MPI_Group_incl);
    return call.timed(next<decltype(MPI_Group_incl)>(Function::MPI_Group_incl)(group, n, ranks, newgroup));
}

int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    Call call(Function::MPI_Group_intersection);
    return call.timed(next<decltype(MPI_Group_intersection)>(Function::MPI_Group_intersection)(group1, group2, newgroup));
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
    Call call(Function::MPI_Group_range_excl);
    return call.timed(next<decltype(MPI_Group_range_excl)>(Function::MPI_Group_range_excl)(group, n, ranges, newgroup));
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
    Call call(Function::MPI_Group_range_incl);
    return call.timed(next<decltype(MPI_Group_range_incl)>(Function::MPI_Group_range_incl)(group, n, ranges, newgroup));
}

int MPI_Group_rank(MPI_Group group, int* rank) {
    LocalCall call(Function::MPI_Group_rank);
    return call.timed(next<decltype(MPI_Group_rank)>(Function::MPI_Group_rank)(group, rank));
}

int MPI_Group_size(MPI_Group group, int* size) {
    LocalCall call(Function::MPI_Group_size);
    return call.timed(next<decltype(MPI_Group_size)>(Function::MPI_Group_size)(group, size));
}

int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
    LocalCall call(Function::MPI_Group_translate_ranks);
    return call.timed(next<decltype(MPI_Group_translate_ranks)>(Function::MPI_Group_translate_ranks)(group1, n, ranks1, group2, ranks2));
}

int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    Call call(Function::MPI_Group_union);
    return call.timed(next<decltype(MPI_Group_union)>(Function::MPI_Group_union)(group1, group2, newgroup));
}

MPI_Fint MPI_Info_c2f(MPI_Info info) {
    LocalCall call(Function::MPI_Info_c2f);
    return call.timed(next<decltype(MPI_Info_c2f)>(Function::MPI_Info_c2f)(info));
}

int MPI_Info_create(MPI_Info* info) {
    Call call(Function::MPI_Info_create);
    return call.timed(next<decltype(MPI_Info_create)>(Function::MPI_Info_create)(info));
}

int MPI_Info_create_env(int argc, char* argv[], MPI_Info* info) {
    Call call(Function::MPI_Info_create_env);
    return call.timed(next<decltype(MPI_Info_create_env)>(Function::MPI_Info_create_env)(argc, argv, info));
}

int MPI_Info_delete(MPI_Info info, const char* key) {
    Call call(Function::MPI_Info_delete);
    return call.timed(next<decltype(MPI_Info_delete)>(Function::MPI_Info_delete)(info, key));
}

int MPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
    Call call(Function::MPI_Info_dup);
    return call.timed(next<decltype(MPI_Info_dup)>(Function::MPI_Info_dup)(info, newinfo));
}

MPI_Info MPI_Info_f2c(MPI_Fint info) {
    LocalCall call(Function::MPI_Info_f2c);
    return call.timed(next<decltype(MPI_Info_f2c)>(Function::MPI_Info_f2c)(info));
}

int MPI_Info_free(MPI_Info* info) {
    Call call(Function::MPI_Info_free);
    return call.timed(next<decltype(MPI_Info_free)>(Function::MPI_Info_free)(info));
}

int MPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
    LocalCall call(Function::MPI_Info_get);
    return call.timed(next<decltype(MPI_Info_get)>(Function::MPI_Info_get)(info, key, valuelen, value, flag));
}

int MPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
    LocalCall call(Function::MPI_Info_get_nkeys);
    return call.timed(next<decltype(MPI_Info_get_nkeys)>(Function::MPI_Info_get_nkeys)(info, nkeys));
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
    LocalCall call(Function::MPI_Info_get_nthkey);
    return call.timed(next<decltype(MPI_Info_get_nthkey)>(Function::MPI_Info_get_nthkey)(info, n, key));
}

int MPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
    LocalCall call(Function::MPI_Info_get_string);
    return call.timed(next<decltype(MPI_Info_get_string)>(Function::MPI_Info_get_string)(info, key, buflen, value, flag));
}

int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
    LocalCall call(Function::MPI_Info_get_valuelen);
    return call.timed(next<decltype(MPI_Info_get_valuelen)>(Function::MPI_Info_get_valuelen)(info, key, valuelen, flag));
}

int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
    Call call(Function::MPI_Info_set);
    return call.timed(next<decltype(MPI_Info_set)>(Function::MPI_Info_set)(info, key, value));
}

int MPI_Initialized(int* flag) {
    LocalCall call(Function::MPI_Initialized);
    return call.timed(next<decltype(MPI_Initialized)>(Function::MPI_Initialized)(flag));
}

int MPI_Is_thread_main(int* flag) {
    LocalCall call(Function::MPI_Is_thread_main);
    return call.timed(next<decltype(MPI_Is_thread_main)>(Function::MPI_Is_thread_main)(flag));
}

int MPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
    Call call(Function::MPI_Keyval_create);
    return call.timed(next<decltype(MPI_Keyval_create)>(Function::MPI_Keyval_create)(copy_fn, delete_fn, keyval, extra_state));
}

int MPI_Keyval_free(int* keyval) {
    Call call(Function::MPI_Keyval_free);
    return call.timed(next<decltype(MPI_Keyval_free)>(Function::MPI_Keyval_free)(keyval));
}

int MPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name) {
    Call call(Function::MPI_Lookup_name);
    return call.timed(next<decltype(MPI_Lookup_name)>(Function::MPI_Lookup_name)(service_name, info, port_name));
}

MPI_Fint MPI_Message_c2f(MPI_Message message) {
    LocalCall call(Function::MPI_Message_c2f);
    return call.timed(next<decltype(MPI_Message_c2f)>(Function::MPI_Message_c2f)(message));
}

MPI_Message MPI_Message_f2c(MPI_Fint message) {
    LocalCall call(Function::MPI_Message_f2c);
    return call.timed(next<decltype(MPI_Message_f2c)>(Function::MPI_Message_f2c)(message));
}

MPI_Fint MPI_Op_c2f(MPI_Op op) {
    LocalCall call(Function::MPI_Op_c2f);
    return call.timed(next<decltype(MPI_Op_c2f)>(Function::MPI_Op_c2f)(op));
}

int MPI_Op_commutative(MPI_Op op, int* commute) {
    LocalCall call(Function::MPI_Op_commutative);
    return call.timed(next<decltype(MPI_Op_commutative)>(Function::MPI_Op_commutative)(op, commute));
}

int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
    Call call(Function::MPI_Op_create);
    return call.timed(next<decltype(MPI_Op_create)>(Function::MPI_Op_create)(user_fn, commute, op));
}

int MPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
    Call call(Function::MPI_Op_create_c);
    return call.timed(next<decltype(MPI_Op_create_c)>(Function::MPI_Op_create_c)(user_fn, commute, op));
}

MPI_Op MPI_Op_f2c(MPI_Fint op) {
    LocalCall call(Function::MPI_Op_f2c);
    return call.timed(next<decltype(MPI_Op_f2c)>(Function::MPI_Op_f2c)(op));
}

int MPI_Op_free(MPI_Op* op) {
    Call call(Function::MPI_Op_free);
    return call.timed(next<decltype(MPI_Op_free)>(Function::MPI_Op_free)(op));
}

int MPI_Open_port(MPI_Info info, char* port_name) {
    Call call(Function::MPI_Open_port);
    return call.timed(next<decltype(MPI_Open_port)>(Function::MPI_Open_port)(info, port_name));
}

int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm comm) {
    Call call(Function::MPI_Pack);
    return call.timed(next<decltype(MPI_Pack)>(Function::MPI_Pack)(inbuf, incount, datatype, outbuf, outsize, position, comm));
}

int MPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize, MPI_Count* position, MPI_Comm comm) {
    Call call(Function::MPI_Pack_c);
    return call.timed(next<decltype(MPI_Pack_c)>(Function::MPI_Pack_c)(inbuf, incount, datatype, outbuf, outsize, position, comm));
}

int MPI_Pack_external(const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
    Call call(Function::MPI_Pack_external);
    return call.timed(next<decltype(MPI_Pack_external)>(Function::MPI_Pack_external)(datarep, inbuf, incount, datatype, outbuf, outsize, position));
}

int MPI_Pack_external_c(const char datarep[], const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize, MPI_Count* position) {
    Call call(Function::MPI_Pack_external_c);
    return call.timed(next<decltype(MPI_Pack_external_c)>(Function::MPI_Pack_external_c)(datarep, inbuf, incount, datatype, outbuf, outsize, position));
}

int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint* size) {
    LocalCall call(Function::MPI_Pack_external_size);
    return call.timed(next<decltype(MPI_Pack_external_size)>(Function::MPI_Pack_external_size)(datarep, incount, datatype, size));
}

int MPI_Pack_external_size_c(const char datarep[], MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
    LocalCall call(Function::MPI_Pack_external_size_c);
    return call.timed(next<decltype(MPI_Pack_external_size_c)>(Function::MPI_Pack_external_size_c)(datarep, incount, datatype, size));
}

int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
    LocalCall call(Function::MPI_Pack_size);
    return call.timed(next<decltype(MPI_Pack_size)>(Function::MPI_Pack_size)(incount, datatype, comm, size));
}

int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
    LocalCall call(Function::MPI_Pack_size_c);
    return call.timed(next<decltype(MPI_Pack_size_c)>(Function::MPI_Pack_size_c)(incount, datatype, comm, size));
}

int MPI_Parrived(MPI_Request request, int partition, int* flag) {
    Call call(Function::MPI_Parrived);
    return call.timed(next<decltype(MPI_Parrived)>(Function::MPI_Parrived)(request, partition, flag));
}

int MPI_Pready(int partition, MPI_Request request) {
    Call call(Function::MPI_Pready);
    return call.timed(next<decltype(MPI_Pready)>(Function::MPI_Pready)(partition, request));
}

int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
    Call call(Function::MPI_Pready_list);
    return call.timed(next<decltype(MPI_Pready_list)>(Function::MPI_Pready_list)(length, array_of_partitions, request));
}

int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
    Call call(Function::MPI_Pready_range);
    return call.timed(next<decltype(MPI_Pready_range)>(Function::MPI_Pready_range)(partition_low, partition_high, request));
}

int MPI_Publish_name(const char* service_name, MPI_Info info, const char* port_name) {
    Call call(Function::MPI_Publish_name);
    return call.timed(next<decltype(MPI_Publish_name)>(Function::MPI_Publish_name)(service_name, info, port_name));
}

int MPI_Query_thread(int* provided) {
    LocalCall call(Function::MPI_Query_thread);
    return call.timed(next<decltype(MPI_Query_thread)>(Function::MPI_Query_thread)(provided));
}

int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
    Call call(Function::MPI_Reduce_local);
    return call.timed(next<decltype(MPI_Reduce_local)>(Function::MPI_Reduce_local)(inbuf, inoutbuf, count, datatype, op));
}

int MPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
    Call call(Function::MPI_Reduce_local_c);
    return call.timed(next<decltype(MPI_Reduce_local_c)>(Function::MPI_Reduce_local_c)(inbuf, inoutbuf, count, datatype, op));
}

int MPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn, MPI_Datarep_conversion_function* write_conversion_fn, MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
    Call call(Function::MPI_Register_datarep);
    return call.timed(next<decltype(MPI_Register_datarep)>(Function::MPI_Register_datarep)(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state));
}

int MPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn, MPI_Datarep_conversion_function_c* write_conversion_fn, MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
    Call call(Function::MPI_Register_datarep_c);
    return call.timed(next<decltype(MPI_Register_datarep_c)>(Function::MPI_Register_datarep_c)(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state));
}

int MPI_Remove_error_class(int errorclass) {
    Call call(Function::MPI_Remove_error_class);
    return call.timed(next<decltype(MPI_Remove_error_class)>(Function::MPI_Remove_error_class)(errorclass));
}

int MPI_Remove_error_code(int errorcode) {
    Call call(Function::MPI_Remove_error_code);
    return call.timed(next<decltype(MPI_Remove_error_code)>(Function::MPI_Remove_error_code)(errorcode));
}

int MPI_Remove_error_string(int errorcode) {
    Call call(Function::MPI_Remove_error_string);
    return call.timed(next<decltype(MPI_Remove_error_string)>(Function::MPI_Remove_error_string)(errorcode));
}

MPI_Fint MPI_Request_c2f(MPI_Request request) {
    LocalCall call(Function::MPI_Request_c2f);
    return call.timed(next<decltype(MPI_Request_c2f)>(Function::MPI_Request_c2f)(request));
}

MPI_Request MPI_Request_f2c(MPI_Fint request) {
    LocalCall call(Function::MPI_Request_f2c);
    return call.timed(next<decltype(MPI_Request_f2c)>(Function::MPI_Request_f2c)(request));
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    Call call(Function::MPI_Request_get_status);
    return call.timed(next<decltype(MPI_Request_get_status)>(Function::MPI_Request_get_status)(request, flag, status));
}

int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Request_get_status_all);
    return call.timed(next<decltype(MPI_Request_get_status_all)>(Function::MPI_Request_get_status_all)(count, array_of_requests, flag, array_of_statuses));
}

int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status) {
    Call call(Function::MPI_Request_get_status_any);
    return call.timed(next<decltype(MPI_Request_get_status_any)>(Function::MPI_Request_get_status_any)(count, array_of_requests, index, flag, status));
}

int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Request_get_status_some);
    return call.timed(next<decltype(MPI_Request_get_status_some)>(Function::MPI_Request_get_status_some)(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
}

int MPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) {
    Call call(Function::MPI_Session_attach_buffer);
    return call.timed(next<decltype(MPI_Session_attach_buffer)>(Function::MPI_Session_attach_buffer)(session, buffer, size));
}

int MPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
    Call call(Function::MPI_Session_attach_buffer_c);
    return call.timed(next<decltype(MPI_Session_attach_buffer_c)>(Function::MPI_Session_attach_buffer_c)(session, buffer, size));
}

MPI_Fint MPI_Session_c2f(MPI_Session session) {
    LocalCall call(Function::MPI_Session_c2f);
    return call.timed(next<decltype(MPI_Session_c2f)>(Function::MPI_Session_c2f)(session));
}

int MPI_Session_call_errhandler(MPI_Session session, int errorcode) {
    Call call(Function::MPI_Session_call_errhandler);
    return call.timed(next<decltype(MPI_Session_call_errhandler)>(Function::MPI_Session_call_errhandler)(session, errorcode));
}

int MPI_Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_Session_create_errhandler);
    return call.timed(next<decltype(MPI_Session_create_errhandler)>(Function::MPI_Session_create_errhandler)(session_errhandler_fn, errhandler));
}

int MPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
    Call call(Function::MPI_Session_detach_buffer);
    return call.timed(next<decltype(MPI_Session_detach_buffer)>(Function::MPI_Session_detach_buffer)(session, buffer_addr, size));
}

int MPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
    Call call(Function::MPI_Session_detach_buffer_c);
    return call.timed(next<decltype(MPI_Session_detach_buffer_c)>(Function::MPI_Session_detach_buffer_c)(session, buffer_addr, size));
}

MPI_Session MPI_Session_f2c(MPI_Fint session) {
    LocalCall call(Function::MPI_Session_f2c);
    return call.timed(next<decltype(MPI_Session_f2c)>(Function::MPI_Session_f2c)(session));
}

int MPI_Session_flush_buffer(MPI_Session session) {
    Call call(Function::MPI_Session_flush_buffer);
    return call.timed(next<decltype(MPI_Session_flush_buffer)>(Function::MPI_Session_flush_buffer)(session));
}

int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_Session_get_errhandler);
    return call.timed(next<decltype(MPI_Session_get_errhandler)>(Function::MPI_Session_get_errhandler)(session, errhandler));
}

int MPI_Session_get_info(MPI_Session session, MPI_Info* info_used) {
    Call call(Function::MPI_Session_get_info);
    return call.timed(next<decltype(MPI_Session_get_info)>(Function::MPI_Session_get_info)(session, info_used));
}

int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* pset_len, char* pset_name) {
    Call call(Function::MPI_Session_get_nth_pset);
    return call.timed(next<decltype(MPI_Session_get_nth_pset)>(Function::MPI_Session_get_nth_pset)(session, info, n, pset_len, pset_name));
}

int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* npset_names) {
    Call call(Function::MPI_Session_get_num_psets);
    return call.timed(next<decltype(MPI_Session_get_num_psets)>(Function::MPI_Session_get_num_psets)(session, info, npset_names));
}

int MPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
    Call call(Function::MPI_Session_get_pset_info);
    return call.timed(next<decltype(MPI_Session_get_pset_info)>(Function::MPI_Session_get_pset_info)(session, pset_name, info));
}

int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
    Call call(Function::MPI_Session_iflush_buffer);
    return call.timed(next<decltype(MPI_Session_iflush_buffer)>(Function::MPI_Session_iflush_buffer)(session, request));
}

int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
    Call call(Function::MPI_Session_set_errhandler);
    return call.timed(next<decltype(MPI_Session_set_errhandler)>(Function::MPI_Session_set_errhandler)(session, errhandler));
}

int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
    LocalCall call(Function::MPI_Status_c2f);
    return call.timed(next<decltype(MPI_Status_c2f)>(Function::MPI_Status_c2f)(c_status, f_status));
}

int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
    LocalCall call(Function::MPI_Status_c2f08);
    return call.timed(next<decltype(MPI_Status_c2f08)>(Function::MPI_Status_c2f08)(c_status, f08_status));
}

int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
    LocalCall call(Function::MPI_Status_f082c);
    return call.timed(next<decltype(MPI_Status_f082c)>(Function::MPI_Status_f082c)(f08_status, c_status));
}

int MPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) {
    LocalCall call(Function::MPI_Status_f082f);
    return call.timed(next<decltype(MPI_Status_f082f)>(Function::MPI_Status_f082f)(f08_status, f_status));
}

int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
    LocalCall call(Function::MPI_Status_f2c);
    return call.timed(next<decltype(MPI_Status_f2c)>(Function::MPI_Status_f2c)(f_status, c_status));
}

int MPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) {
    LocalCall call(Function::MPI_Status_f2f08);
    return call.timed(next<decltype(MPI_Status_f2f08)>(Function::MPI_Status_f2f08)(f_status, f08_status));
}

int MPI_Status_get_error(const MPI_Status* status, int* err) {
    LocalCall call(Function::MPI_Status_get_error);
    return call.timed(next<decltype(MPI_Status_get_error)>(Function::MPI_Status_get_error)(status, err));
}

int MPI_Status_get_source(const MPI_Status* status, int* source) {
    LocalCall call(Function::MPI_Status_get_source);
    return call.timed(next<decltype(MPI_Status_get_source)>(Function::MPI_Status_get_source)(status, source));
}

int MPI_Status_get_tag(const MPI_Status* status, int* tag) {
    LocalCall call(Function::MPI_Status_get_tag);
    return call.timed(next<decltype(MPI_Status_get_tag)>(Function::MPI_Status_get_tag)(status, tag));
}

int MPI_Status_set_cancelled(MPI_Status* status, int flag) {
    Call call(Function::MPI_Status_set_cancelled);
    return call.timed(next<decltype(MPI_Status_set_cancelled)>(Function::MPI_Status_set_cancelled)(status, flag));
}

int MPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
    Call call(Function::MPI_Status_set_elements);
    return call.timed(next<decltype(MPI_Status_set_elements)>(Function::MPI_Status_set_elements)(status, datatype, count));
}

int MPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    Call call(Function::MPI_Status_set_elements_c);
    return call.timed(next<decltype(MPI_Status_set_elements_c)>(Function::MPI_Status_set_elements_c)(status, datatype, count));
}

int MPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    Call call(Function::MPI_Status_set_elements_x);
    return call.timed(next<decltype(MPI_Status_set_elements_x)>(Function::MPI_Status_set_elements_x)(status, datatype, count));
}

int MPI_Status_set_error(MPI_Status* status, int err) {
    Call call(Function::MPI_Status_set_error);
    return call.timed(next<decltype(MPI_Status_set_error)>(Function::MPI_Status_set_error)(status, err));
}

int MPI_Status_set_source(MPI_Status* status, int source) {
    Call call(Function::MPI_Status_set_source);
    return call.timed(next<decltype(MPI_Status_set_source)>(Function::MPI_Status_set_source)(status, source));
}

int MPI_Status_set_tag(MPI_Status* status, int tag) {
    Call call(Function::MPI_Status_set_tag);
    return call.timed(next<decltype(MPI_Status_set_tag)>(Function::MPI_Status_set_tag)(status, tag));
}

int MPI_T_category_changed(int* update_number) {
    Call call(Function::MPI_T_category_changed);
    return call.timed(next<decltype(MPI_T_category_changed)>(Function::MPI_T_category_changed)(update_number));
}

int MPI_T_category_get_categories(int cat_index, int len, int indices[]) {
    Call call(Function::MPI_T_category_get_categories);
    return call.timed(next<decltype(MPI_T_category_get_categories)>(Function::MPI_T_category_get_categories)(cat_index, len, indices));
}

int MPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
    Call call(Function::MPI_T_category_get_cvars);
    return call.timed(next<decltype(MPI_T_category_get_cvars)>(Function::MPI_T_category_get_cvars)(cat_index, len, indices));
}

int MPI_T_category_get_events(int cat_index, int len, int indices[]) {
    Call call(Function::MPI_T_category_get_events);
    return call.timed(next<decltype(MPI_T_category_get_events)>(Function::MPI_T_category_get_events)(cat_index, len, indices));
}

int MPI_T_category_get_index(const char* name, int* cat_index) {
    Call call(Function::MPI_T_category_get_index);
    return call.timed(next<decltype(MPI_T_category_get_index)>(Function::MPI_T_category_get_index)(name, cat_index));
}

int MPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars, int* num_pvars, int* num_categories) {
    Call call(Function::MPI_T_category_get_info);
    return call.timed(next<decltype(MPI_T_category_get_info)>(Function::MPI_T_category_get_info)(cat_index, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories));
}

int MPI_T_category_get_num(int* num_cat) {
    Call call(Function::MPI_T_category_get_num);
    return call.timed(next<decltype(MPI_T_category_get_num)>(Function::MPI_T_category_get_num)(num_cat));
}

int MPI_T_category_get_num_events(int cat_index, int* num_events) {
    Call call(Function::MPI_T_category_get_num_events);
    return call.timed(next<decltype(MPI_T_category_get_num_events)>(Function::MPI_T_category_get_num_events)(cat_index, num_events));
}

int MPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
    Call call(Function::MPI_T_category_get_pvars);
    return call.timed(next<decltype(MPI_T_category_get_pvars)>(Function::MPI_T_category_get_pvars)(cat_index, len, indices));
}

int MPI_T_cvar_get_index(const char* name, int* cvar_index) {
    Call call(Function::MPI_T_cvar_get_index);
    return call.timed(next<decltype(MPI_T_cvar_get_index)>(Function::MPI_T_cvar_get_index)(name, cvar_index));
}

int MPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
    Call call(Function::MPI_T_cvar_get_info);
    return call.timed(next<decltype(MPI_T_cvar_get_info)>(Function::MPI_T_cvar_get_info)(cvar_index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope));
}

int MPI_T_cvar_get_num(int* num_cvar) {
    Call call(Function::MPI_T_cvar_get_num);
    return call.timed(next<decltype(MPI_T_cvar_get_num)>(Function::MPI_T_cvar_get_num)(num_cvar));
}

int MPI_T_cvar_handle_alloc(int cvar_index, void* obj_handle, MPI_T_cvar_handle* handle, int* count) {
    Call call(Function::MPI_T_cvar_handle_alloc);
    return call.timed(next<decltype(MPI_T_cvar_handle_alloc)>(Function::MPI_T_cvar_handle_alloc)(cvar_index, obj_handle, handle, count));
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
    Call call(Function::MPI_T_cvar_handle_free);
    return call.timed(next<decltype(MPI_T_cvar_handle_free)>(Function::MPI_T_cvar_handle_free)(handle));
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
    Call call(Function::MPI_T_cvar_read);
    return call.timed(next<decltype(MPI_T_cvar_read)>(Function::MPI_T_cvar_read)(handle, buf));
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
    Call call(Function::MPI_T_cvar_write);
    return call.timed(next<decltype(MPI_T_cvar_write)>(Function::MPI_T_cvar_write)(handle, buf));
}

int MPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
    Call call(Function::MPI_T_enum_get_info);
    return call.timed(next<decltype(MPI_T_enum_get_info)>(Function::MPI_T_enum_get_info)(enumtype, num, name, name_len));
}

int MPI_T_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
    Call call(Function::MPI_T_enum_get_item);
    return call.timed(next<decltype(MPI_T_enum_get_item)>(Function::MPI_T_enum_get_item)(enumtype, index, value, name, name_len));
}

int MPI_T_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info* info_used) {
    Call call(Function::MPI_T_event_callback_get_info);
    return call.timed(next<decltype(MPI_T_event_callback_get_info)>(Function::MPI_T_event_callback_get_info)(event_registration, cb_safety, info_used));
}

int MPI_T_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info) {
    Call call(Function::MPI_T_event_callback_set_info);
    return call.timed(next<decltype(MPI_T_event_callback_set_info)>(Function::MPI_T_event_callback_set_info)(event_registration, cb_safety, info));
}

int MPI_T_event_copy(MPI_T_event_instance event_instance, void* buffer) {
    Call call(Function::MPI_T_event_copy);
    return call.timed(next<decltype(MPI_T_event_copy)>(Function::MPI_T_event_copy)(event_instance, buffer));
}

int MPI_T_event_get_index(const char* name, int* event_index) {
    Call call(Function::MPI_T_event_get_index);
    return call.timed(next<decltype(MPI_T_event_get_index)>(Function::MPI_T_event_get_index)(name, event_index));
}

int MPI_T_event_get_info(int event_index, char* name, int* name_len, int* verbosity, MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int* num_elements, MPI_T_enum* enumtype, MPI_Info* info, char* desc, int* desc_len, int* bind) {
    Call call(Function::MPI_T_event_get_info);
    return call.timed(next<decltype(MPI_T_event_get_info)>(Function::MPI_T_event_get_info)(event_index, name, name_len, verbosity, array_of_datatypes, array_of_displacements, num_elements, enumtype, info, desc, desc_len, bind));
}

int MPI_T_event_get_num(int* num_events) {
    Call call(Function::MPI_T_event_get_num);
    return call.timed(next<decltype(MPI_T_event_get_num)>(Function::MPI_T_event_get_num)(num_events));
}

int MPI_T_event_get_source(MPI_T_event_instance event_instance, int* source_index) {
    Call call(Function::MPI_T_event_get_source);
    return call.timed(next<decltype(MPI_T_event_get_source)>(Function::MPI_T_event_get_source)(event_instance, source_index));
}

int MPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count* event_timestamp) {
    Call call(Function::MPI_T_event_get_timestamp);
    return call.timed(next<decltype(MPI_T_event_get_timestamp)>(Function::MPI_T_event_get_timestamp)(event_instance, event_timestamp));
}

int MPI_T_event_handle_alloc(int event_index, void* obj_handle, MPI_Info info, MPI_T_event_registration* event_registration) {
    Call call(Function::MPI_T_event_handle_alloc);
    return call.timed(next<decltype(MPI_T_event_handle_alloc)>(Function::MPI_T_event_handle_alloc)(event_index, obj_handle, info, event_registration));
}

int MPI_T_event_handle_free(MPI_T_event_registration event_registration, void* user_data, MPI_T_event_free_cb_function free_cb_function) {
    Call call(Function::MPI_T_event_handle_free);
    return call.timed(next<decltype(MPI_T_event_handle_free)>(Function::MPI_T_event_handle_free)(event_registration, user_data, free_cb_function));
}

int MPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info* info_used) {
    Call call(Function::MPI_T_event_handle_get_info);
    return call.timed(next<decltype(MPI_T_event_handle_get_info)>(Function::MPI_T_event_handle_get_info)(event_registration, info_used));
}

int MPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info) {
    Call call(Function::MPI_T_event_handle_set_info);
    return call.timed(next<decltype(MPI_T_event_handle_set_info)>(Function::MPI_T_event_handle_set_info)(event_registration, info));
}

int MPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void* buffer) {
    Call call(Function::MPI_T_event_read);
    return call.timed(next<decltype(MPI_T_event_read)>(Function::MPI_T_event_read)(event_instance, element_index, buffer));
}

int MPI_T_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info, void* user_data, MPI_T_event_cb_function event_cb_function) {
    Call call(Function::MPI_T_event_register_callback);
    return call.timed(next<decltype(MPI_T_event_register_callback)>(Function::MPI_T_event_register_callback)(event_registration, cb_safety, info, user_data, event_cb_function));
}

int MPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration, MPI_T_event_dropped_cb_function dropped_cb_function) {
    Call call(Function::MPI_T_event_set_dropped_handler);
    return call.timed(next<decltype(MPI_T_event_set_dropped_handler)>(Function::MPI_T_event_set_dropped_handler)(event_registration, dropped_cb_function));
}

int MPI_T_finalize() {
    Call call(Function::MPI_T_finalize);
    return call.timed(next<decltype(MPI_T_finalize)>(Function::MPI_T_finalize)());
}

int MPI_T_init_thread(int required, int* provided) {
    Call call(Function::MPI_T_init_thread);
    return call.timed(next<decltype(MPI_T_init_thread)>(Function::MPI_T_init_thread)(required, provided));
}

int MPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
    Call call(Function::MPI_T_pvar_get_index);
    return call.timed(next<decltype(MPI_T_pvar_get_index)>(Function::MPI_T_pvar_get_index)(name, var_class, pvar_index));
}

int MPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous, int* atomic) {
    Call call(Function::MPI_T_pvar_get_info);
    return call.timed(next<decltype(MPI_T_pvar_get_info)>(Function::MPI_T_pvar_get_info)(pvar_index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind, readonly, continuous, atomic));
}

int MPI_T_pvar_get_num(int* num_pvar) {
    Call call(Function::MPI_T_pvar_get_num);
    return call.timed(next<decltype(MPI_T_pvar_get_num)>(Function::MPI_T_pvar_get_num)(num_pvar));
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void* obj_handle, MPI_T_pvar_handle* handle, int* count) {
    Call call(Function::MPI_T_pvar_handle_alloc);
    return call.timed(next<decltype(MPI_T_pvar_handle_alloc)>(Function::MPI_T_pvar_handle_alloc)(pe_session, pvar_index, obj_handle, handle, count));
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle* handle) {
    Call call(Function::MPI_T_pvar_handle_free);
    return call.timed(next<decltype(MPI_T_pvar_handle_free)>(Function::MPI_T_pvar_handle_free)(pe_session, handle));
}

int MPI_T_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
    Call call(Function::MPI_T_pvar_read);
    return call.timed(next<decltype(MPI_T_pvar_read)>(Function::MPI_T_pvar_read)(pe_session, handle, buf));
}

int MPI_T_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
    Call call(Function::MPI_T_pvar_readreset);
    return call.timed(next<decltype(MPI_T_pvar_readreset)>(Function::MPI_T_pvar_readreset)(pe_session, handle, buf));
}

int MPI_T_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
    Call call(Function::MPI_T_pvar_reset);
    return call.timed(next<decltype(MPI_T_pvar_reset)>(Function::MPI_T_pvar_reset)(pe_session, handle));
}

int MPI_T_pvar_session_create(MPI_T_pvar_session* pe_session) {
    Call call(Function::MPI_T_pvar_session_create);
    return call.timed(next<decltype(MPI_T_pvar_session_create)>(Function::MPI_T_pvar_session_create)(pe_session));
}

int MPI_T_pvar_session_free(MPI_T_pvar_session* pe_session) {
    Call call(Function::MPI_T_pvar_session_free);
    return call.timed(next<decltype(MPI_T_pvar_session_free)>(Function::MPI_T_pvar_session_free)(pe_session));
}

int MPI_T_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
    Call call(Function::MPI_T_pvar_start);
    return call.timed(next<decltype(MPI_T_pvar_start)>(Function::MPI_T_pvar_start)(pe_session, handle));
}

int MPI_T_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
    Call call(Function::MPI_T_pvar_stop);
    return call.timed(next<decltype(MPI_T_pvar_stop)>(Function::MPI_T_pvar_stop)(pe_session, handle));
}

int MPI_T_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void* buf) {
    Call call(Function::MPI_T_pvar_write);
    return call.timed(next<decltype(MPI_T_pvar_write)>(Function::MPI_T_pvar_write)(pe_session, handle, buf));
}

int MPI_T_source_get_info(int source_index, char* name, int* name_len, char* desc, int* desc_len, MPI_T_source_order* ordering, MPI_Count* ticks_per_second, MPI_Count* max_ticks, MPI_Info* info) {
    Call call(Function::MPI_T_source_get_info);
    return call.timed(next<decltype(MPI_T_source_get_info)>(Function::MPI_T_source_get_info)(source_index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, info));
}

int MPI_T_source_get_num(int* num_sources) {
    Call call(Function::MPI_T_source_get_num);
    return call.timed(next<decltype(MPI_T_source_get_num)>(Function::MPI_T_source_get_num)(num_sources));
}

int MPI_T_source_get_timestamp(int source_index, MPI_Count* timestamp) {
    Call call(Function::MPI_T_source_get_timestamp);
    return call.timed(next<decltype(MPI_T_source_get_timestamp)>(Function::MPI_T_source_get_timestamp)(source_index, timestamp));
}

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
    LocalCall call(Function::MPI_Test_cancelled);
    return call.timed(next<decltype(MPI_Test_cancelled)>(Function::MPI_Test_cancelled)(status, flag));
}

int MPI_Topo_test(MPI_Comm comm, int* status) {
    LocalCall call(Function::MPI_Topo_test);
    return call.timed(next<decltype(MPI_Topo_test)>(Function::MPI_Topo_test)(comm, status));
}

MPI_Fint MPI_Type_c2f(MPI_Datatype datatype) {
    LocalCall call(Function::MPI_Type_c2f);
    return call.timed(next<decltype(MPI_Type_c2f)>(Function::MPI_Type_c2f)(datatype));
}

int MPI_Type_commit(MPI_Datatype* datatype) {
    Call call(Function::MPI_Type_commit);
    return call.timed(next<decltype(MPI_Type_commit)>(Function::MPI_Type_commit)(datatype));
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_contiguous);
    return call.timed(next<decltype(MPI_Type_contiguous)>(Function::MPI_Type_contiguous)(count, oldtype, newtype));
}

int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_contiguous_c);
    return call.timed(next<decltype(MPI_Type_contiguous_c)>(Function::MPI_Type_contiguous_c)(count, oldtype, newtype));
}

int MPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_darray);
    return call.timed(next<decltype(MPI_Type_create_darray)>(Function::MPI_Type_create_darray)(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype));
}

int MPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_darray_c);
    return call.timed(next<decltype(MPI_Type_create_darray_c)>(Function::MPI_Type_create_darray_c)(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype));
}

int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_f90_complex);
    return call.timed(next<decltype(MPI_Type_create_f90_complex)>(Function::MPI_Type_create_f90_complex)(p, r, newtype));
}

int MPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_f90_integer);
    return call.timed(next<decltype(MPI_Type_create_f90_integer)>(Function::MPI_Type_create_f90_integer)(r, newtype));
}

int MPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_f90_real);
    return call.timed(next<decltype(MPI_Type_create_f90_real)>(Function::MPI_Type_create_f90_real)(p, r, newtype));
}

int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hindexed);
    return call.timed(next<decltype(MPI_Type_create_hindexed)>(Function::MPI_Type_create_hindexed)(count, array_of_blocklengths, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hindexed_block);
    return call.timed(next<decltype(MPI_Type_create_hindexed_block)>(Function::MPI_Type_create_hindexed_block)(count, blocklength, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hindexed_block_c);
    return call.timed(next<decltype(MPI_Type_create_hindexed_block_c)>(Function::MPI_Type_create_hindexed_block_c)(count, blocklength, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hindexed_c);
    return call.timed(next<decltype(MPI_Type_create_hindexed_c)>(Function::MPI_Type_create_hindexed_c)(count, array_of_blocklengths, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hvector);
    return call.timed(next<decltype(MPI_Type_create_hvector)>(Function::MPI_Type_create_hvector)(count, blocklength, stride, oldtype, newtype));
}

int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_hvector_c);
    return call.timed(next<decltype(MPI_Type_create_hvector_c)>(Function::MPI_Type_create_hvector_c)(count, blocklength, stride, oldtype, newtype));
}

int MPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_indexed_block);
    return call.timed(next<decltype(MPI_Type_create_indexed_block)>(Function::MPI_Type_create_indexed_block)(count, blocklength, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_indexed_block_c);
    return call.timed(next<decltype(MPI_Type_create_indexed_block_c)>(Function::MPI_Type_create_indexed_block_c)(count, blocklength, array_of_displacements, oldtype, newtype));
}

int MPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn, MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
    Call call(Function::MPI_Type_create_keyval);
    return call.timed(next<decltype(MPI_Type_create_keyval)>(Function::MPI_Type_create_keyval)(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state));
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_resized);
    return call.timed(next<decltype(MPI_Type_create_resized)>(Function::MPI_Type_create_resized)(oldtype, lb, extent, newtype));
}

int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_resized_c);
    return call.timed(next<decltype(MPI_Type_create_resized_c)>(Function::MPI_Type_create_resized_c)(oldtype, lb, extent, newtype));
}

int MPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_struct);
    return call.timed(next<decltype(MPI_Type_create_struct)>(Function::MPI_Type_create_struct)(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype));
}

int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_struct_c);
    return call.timed(next<decltype(MPI_Type_create_struct_c)>(Function::MPI_Type_create_struct_c)(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype));
}

int MPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_subarray);
    return call.timed(next<decltype(MPI_Type_create_subarray)>(Function::MPI_Type_create_subarray)(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype));
}

int MPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_create_subarray_c);
    return call.timed(next<decltype(MPI_Type_create_subarray_c)>(Function::MPI_Type_create_subarray_c)(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype));
}

int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
    Call call(Function::MPI_Type_delete_attr);
    return call.timed(next<decltype(MPI_Type_delete_attr)>(Function::MPI_Type_delete_attr)(datatype, type_keyval));
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_dup);
    return call.timed(next<decltype(MPI_Type_dup)>(Function::MPI_Type_dup)(oldtype, newtype));
}

MPI_Datatype MPI_Type_f2c(MPI_Fint datatype) {
    LocalCall call(Function::MPI_Type_f2c);
    return call.timed(next<decltype(MPI_Type_f2c)>(Function::MPI_Type_f2c)(datatype));
}

int MPI_Type_free_keyval(int* type_keyval) {
    Call call(Function::MPI_Type_free_keyval);
    return call.timed(next<decltype(MPI_Type_free_keyval)>(Function::MPI_Type_free_keyval)(type_keyval));
}

int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
    LocalCall call(Function::MPI_Type_get_attr);
    return call.timed(next<decltype(MPI_Type_get_attr)>(Function::MPI_Type_get_attr)(datatype, type_keyval, attribute_val, flag));
}

int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
    LocalCall call(Function::MPI_Type_get_contents);
    return call.timed(next<decltype(MPI_Type_get_contents)>(Function::MPI_Type_get_contents)(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, array_of_addresses, array_of_datatypes));
}

int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[]) {
    LocalCall call(Function::MPI_Type_get_contents_c);
    return call.timed(next<decltype(MPI_Type_get_contents_c)>(Function::MPI_Type_get_contents_c)(datatype, max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes));
}

int MPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner) {
    LocalCall call(Function::MPI_Type_get_envelope);
    return call.timed(next<decltype(MPI_Type_get_envelope)>(Function::MPI_Type_get_envelope)(datatype, num_integers, num_addresses, num_datatypes, combiner));
}

int MPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
    LocalCall call(Function::MPI_Type_get_envelope_c);
    return call.timed(next<decltype(MPI_Type_get_envelope_c)>(Function::MPI_Type_get_envelope_c)(datatype, num_integers, num_addresses, num_large_counts, num_datatypes, combiner));
}

int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
    LocalCall call(Function::MPI_Type_get_extent);
    return call.timed(next<decltype(MPI_Type_get_extent)>(Function::MPI_Type_get_extent)(datatype, lb, extent));
}

int MPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
    LocalCall call(Function::MPI_Type_get_extent_c);
    return call.timed(next<decltype(MPI_Type_get_extent_c)>(Function::MPI_Type_get_extent_c)(datatype, lb, extent));
}

int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
    LocalCall call(Function::MPI_Type_get_extent_x);
    return call.timed(next<decltype(MPI_Type_get_extent_x)>(Function::MPI_Type_get_extent_x)(datatype, lb, extent));
}

int MPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
    LocalCall call(Function::MPI_Type_get_name);
    return call.timed(next<decltype(MPI_Type_get_name)>(Function::MPI_Type_get_name)(datatype, type_name, resultlen));
}

int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
    LocalCall call(Function::MPI_Type_get_true_extent);
    return call.timed(next<decltype(MPI_Type_get_true_extent)>(Function::MPI_Type_get_true_extent)(datatype, true_lb, true_extent));
}

int MPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
    LocalCall call(Function::MPI_Type_get_true_extent_c);
    return call.timed(next<decltype(MPI_Type_get_true_extent_c)>(Function::MPI_Type_get_true_extent_c)(datatype, true_lb, true_extent));
}

int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
    LocalCall call(Function::MPI_Type_get_true_extent_x);
    return call.timed(next<decltype(MPI_Type_get_true_extent_x)>(Function::MPI_Type_get_true_extent_x)(datatype, true_lb, true_extent));
}

int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
    LocalCall call(Function::MPI_Type_get_value_index);
    return call.timed(next<decltype(MPI_Type_get_value_index)>(Function::MPI_Type_get_value_index)(value_type, index_type, pair_type));
}

int MPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_indexed);
    return call.timed(next<decltype(MPI_Type_indexed)>(Function::MPI_Type_indexed)(count, array_of_blocklengths, array_of_displacements, oldtype, newtype));
}

int MPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_indexed_c);
    return call.timed(next<decltype(MPI_Type_indexed_c)>(Function::MPI_Type_indexed_c)(count, array_of_blocklengths, array_of_displacements, oldtype, newtype));
}

int MPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
    Call call(Function::MPI_Type_match_size);
    return call.timed(next<decltype(MPI_Type_match_size)>(Function::MPI_Type_match_size)(typeclass, size, datatype));
}

int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
    Call call(Function::MPI_Type_set_attr);
    return call.timed(next<decltype(MPI_Type_set_attr)>(Function::MPI_Type_set_attr)(datatype, type_keyval, attribute_val));
}

int MPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
    Call call(Function::MPI_Type_set_name);
    return call.timed(next<decltype(MPI_Type_set_name)>(Function::MPI_Type_set_name)(datatype, type_name));
}

int MPI_Type_size(MPI_Datatype datatype, int* size) {
    LocalCall call(Function::MPI_Type_size);
    return call.timed(next<decltype(MPI_Type_size)>(Function::MPI_Type_size)(datatype, size));
}

int MPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
    LocalCall call(Function::MPI_Type_size_c);
    return call.timed(next<decltype(MPI_Type_size_c)>(Function::MPI_Type_size_c)(datatype, size));
}

int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
    LocalCall call(Function::MPI_Type_size_x);
    return call.timed(next<decltype(MPI_Type_size_x)>(Function::MPI_Type_size_x)(datatype, size));
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_vector);
    return call.timed(next<decltype(MPI_Type_vector)>(Function::MPI_Type_vector)(count, blocklength, stride, oldtype, newtype));
}

int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Call call(Function::MPI_Type_vector_c);
    return call.timed(next<decltype(MPI_Type_vector_c)>(Function::MPI_Type_vector_c)(count, blocklength, stride, oldtype, newtype));
}

int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm) {
    Call call(Function::MPI_Unpack);
    return call.timed(next<decltype(MPI_Unpack)>(Function::MPI_Unpack)(inbuf, insize, position, outbuf, outcount, datatype, comm));
}

int MPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
    Call call(Function::MPI_Unpack_c);
    return call.timed(next<decltype(MPI_Unpack_c)>(Function::MPI_Unpack_c)(inbuf, insize, position, outbuf, outcount, datatype, comm));
}

int MPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype) {
    Call call(Function::MPI_Unpack_external);
    return call.timed(next<decltype(MPI_Unpack_external)>(Function::MPI_Unpack_external)(datarep, inbuf, insize, position, outbuf, outcount, datatype));
}

int MPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
    Call call(Function::MPI_Unpack_external_c);
    return call.timed(next<decltype(MPI_Unpack_external_c)>(Function::MPI_Unpack_external_c)(datarep, inbuf, insize, position, outbuf, outcount, datatype));
}

int MPI_Unpublish_name(const char* service_name, MPI_Info info, const char* port_name) {
    Call call(Function::MPI_Unpublish_name);
    return call.timed(next<decltype(MPI_Unpublish_name)>(Function::MPI_Unpublish_name)(service_name, info, port_name));
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    Call call(Function::MPI_Win_allocate);
    return call.timed(next<decltype(MPI_Win_allocate)>(Function::MPI_Win_allocate)(size, disp_unit, info, comm, baseptr, win));
}

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    Call call(Function::MPI_Win_allocate_c);
    return call.timed(next<decltype(MPI_Win_allocate_c)>(Function::MPI_Win_allocate_c)(size, disp_unit, info, comm, baseptr, win));
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    Call call(Function::MPI_Win_allocate_shared);
    return call.timed(next<decltype(MPI_Win_allocate_shared)>(Function::MPI_Win_allocate_shared)(size, disp_unit, info, comm, baseptr, win));
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    Call call(Function::MPI_Win_allocate_shared_c);
    return call.timed(next<decltype(MPI_Win_allocate_shared_c)>(Function::MPI_Win_allocate_shared_c)(size, disp_unit, info, comm, baseptr, win));
}

int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
    Call call(Function::MPI_Win_attach);
    return call.timed(next<decltype(MPI_Win_attach)>(Function::MPI_Win_attach)(win, base, size));
}

MPI_Fint MPI_Win_c2f(MPI_Win win) {
    LocalCall call(Function::MPI_Win_c2f);
    return call.timed(next<decltype(MPI_Win_c2f)>(Function::MPI_Win_c2f)(win));
}

int MPI_Win_call_errhandler(MPI_Win win, int errorcode) {
    Call call(Function::MPI_Win_call_errhandler);
    return call.timed(next<decltype(MPI_Win_call_errhandler)>(Function::MPI_Win_call_errhandler)(win, errorcode));
}

int MPI_Win_complete(MPI_Win win) {
    Call call(Function::MPI_Win_complete);
    return call.timed(next<decltype(MPI_Win_complete)>(Function::MPI_Win_complete)(win));
}

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    Call call(Function::MPI_Win_create);
    return call.timed(next<decltype(MPI_Win_create)>(Function::MPI_Win_create)(base, size, disp_unit, info, comm, win));
}

int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    Call call(Function::MPI_Win_create_c);
    return call.timed(next<decltype(MPI_Win_create_c)>(Function::MPI_Win_create_c)(base, size, disp_unit, info, comm, win));
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    Call call(Function::MPI_Win_create_dynamic);
    return call.timed(next<decltype(MPI_Win_create_dynamic)>(Function::MPI_Win_create_dynamic)(info, comm, win));
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
    Call call(Function::MPI_Win_create_errhandler);
    return call.timed(next<decltype(MPI_Win_create_errhandler)>(Function::MPI_Win_create_errhandler)(win_errhandler_fn, errhandler));
}

int MPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn, MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state) {
    Call call(Function::MPI_Win_create_keyval);
    return call.timed(next<decltype(MPI_Win_create_keyval)>(Function::MPI_Win_create_keyval)(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state));
}

int MPI_Win_delete_attr(MPI_Win win, int win_keyval) {
    Call call(Function::MPI_Win_delete_attr);
    return call.timed(next<decltype(MPI_Win_delete_attr)>(Function::MPI_Win_delete_attr)(win, win_keyval));
}

int MPI_Win_detach(MPI_Win win, const void* base) {
    Call call(Function::MPI_Win_detach);
    return call.timed(next<decltype(MPI_Win_detach)>(Function::MPI_Win_detach)(win, base));
}

MPI_Win MPI_Win_f2c(MPI_Fint win) {
    LocalCall call(Function::MPI_Win_f2c);
    return call.timed(next<decltype(MPI_Win_f2c)>(Function::MPI_Win_f2c)(win));
}

int MPI_Win_fence(int assert, MPI_Win win) {
    Call call(Function::MPI_Win_fence);
    return call.timed(next<decltype(MPI_Win_fence)>(Function::MPI_Win_fence)(assert, win));
}

int MPI_Win_flush(int rank, MPI_Win win) {
    Call call(Function::MPI_Win_flush);
    return call.timed(next<decltype(MPI_Win_flush)>(Function::MPI_Win_flush)(rank, win));
}

int MPI_Win_flush_all(MPI_Win win) {
    Call call(Function::MPI_Win_flush_all);
    return call.timed(next<decltype(MPI_Win_flush_all)>(Function::MPI_Win_flush_all)(win));
}

int MPI_Win_flush_local(int rank, MPI_Win win) {
    Call call(Function::MPI_Win_flush_local);
    return call.timed(next<decltype(MPI_Win_flush_local)>(Function::MPI_Win_flush_local)(rank, win));
}

int MPI_Win_flush_local_all(MPI_Win win) {
    Call call(Function::MPI_Win_flush_local_all);
    return call.timed(next<decltype(MPI_Win_flush_local_all)>(Function::MPI_Win_flush_local_all)(win));
}

int MPI_Win_free(MPI_Win* win) {
    Call call(Function::MPI_Win_free);
    return call.timed(next<decltype(MPI_Win_free)>(Function::MPI_Win_free)(win));
}

int MPI_Win_free_keyval(int* win_keyval) {
    Call call(Function::MPI_Win_free_keyval);
    return call.timed(next<decltype(MPI_Win_free_keyval)>(Function::MPI_Win_free_keyval)(win_keyval));
}

int MPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
    LocalCall call(Function::MPI_Win_get_attr);
    return call.timed(next<decltype(MPI_Win_get_attr)>(Function::MPI_Win_get_attr)(win, win_keyval, attribute_val, flag));
}

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
    LocalCall call(Function::MPI_Win_get_errhandler);
    return call.timed(next<decltype(MPI_Win_get_errhandler)>(Function::MPI_Win_get_errhandler)(win, errhandler));
}

int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
    LocalCall call(Function::MPI_Win_get_group);
    return call.timed(next<decltype(MPI_Win_get_group)>(Function::MPI_Win_get_group)(win, group));
}

int MPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
    LocalCall call(Function::MPI_Win_get_info);
    return call.timed(next<decltype(MPI_Win_get_info)>(Function::MPI_Win_get_info)(win, info_used));
}

int MPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
    LocalCall call(Function::MPI_Win_get_name);
    return call.timed(next<decltype(MPI_Win_get_name)>(Function::MPI_Win_get_name)(win, win_name, resultlen));
}

int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
    Call call(Function::MPI_Win_lock);
    return call.timed(next<decltype(MPI_Win_lock)>(Function::MPI_Win_lock)(lock_type, rank, assert, win));
}

int MPI_Win_lock_all(int assert, MPI_Win win) {
    Call call(Function::MPI_Win_lock_all);
    return call.timed(next<decltype(MPI_Win_lock_all)>(Function::MPI_Win_lock_all)(assert, win));
}

int MPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
    Call call(Function::MPI_Win_post);
    return call.timed(next<decltype(MPI_Win_post)>(Function::MPI_Win_post)(group, assert, win));
}

int MPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
    Call call(Function::MPI_Win_set_attr);
    return call.timed(next<decltype(MPI_Win_set_attr)>(Function::MPI_Win_set_attr)(win, win_keyval, attribute_val));
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
    Call call(Function::MPI_Win_set_errhandler);
    return call.timed(next<decltype(MPI_Win_set_errhandler)>(Function::MPI_Win_set_errhandler)(win, errhandler));
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info) {
    Call call(Function::MPI_Win_set_info);
    return call.timed(next<decltype(MPI_Win_set_info)>(Function::MPI_Win_set_info)(win, info));
}

int MPI_Win_set_name(MPI_Win win, const char* win_name) {
    Call call(Function::MPI_Win_set_name);
    return call.timed(next<decltype(MPI_Win_set_name)>(Function::MPI_Win_set_name)(win, win_name));
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
    Call call(Function::MPI_Win_shared_query);
    return call.timed(next<decltype(MPI_Win_shared_query)>(Function::MPI_Win_shared_query)(win, rank, size, disp_unit, baseptr));
}

int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
    Call call(Function::MPI_Win_shared_query_c);
    return call.timed(next<decltype(MPI_Win_shared_query_c)>(Function::MPI_Win_shared_query_c)(win, rank, size, disp_unit, baseptr));
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
    Call call(Function::MPI_Win_start);
    return call.timed(next<decltype(MPI_Win_start)>(Function::MPI_Win_start)(group, assert, win));
}

int MPI_Win_sync(MPI_Win win) {
    Call call(Function::MPI_Win_sync);
    return call.timed(next<decltype(MPI_Win_sync)>(Function::MPI_Win_sync)(win));
}

int MPI_Win_test(MPI_Win win, int* flag) {
    Call call(Function::MPI_Win_test);
    return call.timed(next<decltype(MPI_Win_test)>(Function::MPI_Win_test)(win, flag));
}

int MPI_Win_unlock(int rank, MPI_Win win) {
    Call call(Function::MPI_Win_unlock);
    return call.timed(next<decltype(MPI_Win_unlock)>(Function::MPI_Win_unlock)(rank, win));
}

int MPI_Win_unlock_all(MPI_Win win) {
    Call call(Function::MPI_Win_unlock_all);
    return call.timed(next<decltype(MPI_Win_unlock_all)>(Function::MPI_Win_unlock_all)(win));
}

int MPI_Win_wait(MPI_Win win) {
    Call call(Function::MPI_Win_wait);
    return call.timed(next<decltype(MPI_Win_wait)>(Function::MPI_Win_wait)(win));
}

double MPI_Wtick() {
    LocalCall call(Function::MPI_Wtick);
    return call.timed(next<decltype(MPI_Wtick)>(Function::MPI_Wtick)());
}

double MPI_Wtime() {
    LocalCall call(Function::MPI_Wtime);
    return call.timed(next<decltype(MPI_Wtime)>(Function::MPI_Wtime)());
}

}  // namespace fairlead::wrapped
